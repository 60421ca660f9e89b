import { randomUUID } from 'node:crypto'
import { ScriptedModel, testService as serviceOf } from '@agent-task-service/engine/testing'
import { ToolError } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { testService } from '@agent-task-service/test-support/service'
import { AIMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { never } from '../simulation/waits.ts'
import { ANN, Fleet, pays, payTool, usage } from '../two-replicas.ts'

const twice = { toolCalls: [ANN, ANN].map(args => ({ name: 'pay', args })), usage }

describe.each<[string, Record<string, string>]>([
  ['one process', { REDIS_URL: '' }],
  ['with Redis', {}],
])('equal calls: %s', (_where, env) => {
  test('one was declined and the next one paid, then the run fails: sent again, it gets the receipt', async () => {
    const fleet = new Fleet()
    const keys: string[] = []
    const work = (key: string) => {
      if (keys.length === 1) throw new ToolError('declined')
      return `receipt ${key}`
    }
    let isFirst = true
    const only = await fleet.replica(
      [payTool(keys, work)],
      request => {
        const calls = request.messages.filter(({ type }) => type === 'tool').length
        if (isFirst) return calls === 2 ? never() : pays(ANN, ANN)(request)
        return pays(ANN)(request)
      },
      { ...env, RUN_TIMEOUT_SEC: '5', ANSWER_BY_SEC: '5' },
    )
    const task_id = randomUUID()
    expect(await only.run(task_id)).toMatchObject({ status: 'timeout' })
    isFirst = false
    expect(await only.run(task_id)).toMatchObject({ status: 'success', output: `receipt ${keys[1]}` })
    expect(keys).toHaveLength(2)
  })

  test('one was not made and the other paid, then the run fails: sent again, the first is made', async () => {
    const fleet = new Fleet()
    const keys: string[] = []
    const work = (key: string) => {
      if (keys.length === 1) throw new Error('refused')
      return `receipt ${key}`
    }
    let isFirst = true
    const only = await fleet.replica(
      [payTool(keys, work, { lookup: async () => undefined })],
      ({ messages }) => {
        const results = messages.filter(({ type }) => type === 'tool').map(({ text }) => text)
        if (results.length === 0) return twice
        return isFirst ? new Error('gone') : { text: results.join(' | '), usage }
      },
      env,
    )
    const task_id = randomUUID()
    expect(await only.run(task_id)).toMatchObject({ status: 'error' })
    isFirst = false
    const [one, two] = keys
    expect(await only.run(task_id)).toMatchObject({ output: `receipt ${one} | receipt ${two}` })
    expect(keys).toEqual([one, two, one])
  })

  test.each([
    ['the first', 0],
    ['the second', 1],
  ])('two fail, and %s has paid: each is looked up by its own key', async (_which, nth) => {
    const fleet = new Fleet()
    const paid: string[] = []
    const keys: string[] = []
    const work = (key: string) => {
      // The bank pays one of the first two, and each of those that come later.
      if (keys.length - 1 === nth || keys.length > 2) paid.push(key)
      if (keys.length <= 2) throw new Error('reset')
      return `receipt ${key}`
    }
    const lookup = async (key: string) => (paid.includes(key) ? `receipt ${key}` : undefined)
    const only = await fleet.replica(
      [payTool(keys, work, { lookup })],
      ({ messages }) => {
        const results = messages.filter(({ type }) => type === 'tool').map(({ text }) => text)
        return results.length < 4 ? twice : { text: results.slice(2).join(' | '), usage }
      },
      env,
    )
    const { output } = await only.run('test-1')
    expect(paid).toHaveLength(2)
    expect(new Set(paid).size).toBe(2)
    expect(output.split(' | ').sort()).toEqual(paid.map(key => `receipt ${key}`).sort())
  })

  test('the first of two in one turn has an unknown outcome: the other is one of its own, not the first again', async () => {
    const fleet = new Fleet()
    const keys: string[] = []
    const work = (key: string) => {
      if (keys.length === 1) throw new Error('reset')
      return `receipt ${key}`
    }
    const only = await fleet.replica(
      [payTool(keys, work)],
      ({ messages }) => {
        const results = messages.filter(({ type }) => type === 'tool').map(({ text }) => text)
        return results.length === 0 ? twice : { text: results.join(' | '), usage }
      },
      env,
    )
    const { output } = await only.run('test-1')
    expect(new Set(keys).size).toBe(2)
    expect(output).toMatch(/^Error: .* Nobody knows whether .* \| receipt \S+-2$/)
  })

  test('one has an unknown outcome: of two that follow in one turn, none is made without a lookup', async () => {
    const fleet = new Fleet()
    const keys: string[] = []
    const work = () => {
      throw new Error('reset')
    }
    const only = await fleet.replica(
      [payTool(keys, work)],
      ({ messages }) => {
        const results = messages.filter(({ type }) => type === 'tool')
        if (results.length === 0) return { toolCalls: [{ name: 'pay', args: ANN }], usage }
        return results.length < 3 ? twice : { text: 'done', usage }
      },
      env,
    )
    await only.run('test-1')
    expect(keys).toHaveLength(1)
  })
})

test('a node that is run again makes none of its calls again', async () => {
  const paid: unknown[] = []
  const pay = tool(async () => `receipt ${paid.push('paid')}`, {
    name: 'pay',
    description: 'pays',
    schema: z.object({}),
    metadata: { readOnlyHint: false },
  })
  let tries = 0
  const flaky = tool(
    async () => {
      tries += 1
      if (tries < 3) throw new Error('flaky')
      return 'fine'
    },
    { name: 'flaky', description: 'fails at first', schema: z.object({}) },
  )
  const model = new ScriptedModel([
    { toolCalls: [{ name: 'pay' }, { name: 'flaky' }], usage },
    ({ messages }) => messages.map(({ text }) => text).join(' | '),
  ])
  const service = await serviceOf(
    {
      ...agent,
      graph: ({ model, tools }) =>
        new StateGraph(MessagesAnnotation)
          .addNode('ask', async ({ messages }) => ({
            messages: [await model.bindTools([...tools]).invoke(messages)],
          }))
          .addNode('tools', new ToolNode([...tools], { handleToolErrors: false }), {
            retryPolicy: { maxAttempts: 3, initialInterval: 1, jitter: false },
          })
          .addEdge(START, 'ask')
          .addConditionalEdges('ask', ({ messages }) =>
            (messages.at(-1) as AIMessage).tool_calls?.length ? 'tools' : '__end__',
          )
          .addEdge('tools', 'ask')
          .compile(),
    },
    { env: {}, models: [model.named()], tools: [pay, flaky] },
  )
  expect(await service.run('Pay')).toMatchObject({
    status: 'success',
    output: expect.stringContaining('receipt 1 | fine'),
  })
  expect(paid).toHaveLength(1)
})

test('arguments that differ only in a set are different calls', async () => {
  const sent: string[] = []
  const send = tool(
    async ({ ids }) => {
      sent.push([...(ids as Set<string>)].join())
      return 'sent'
    },
    {
      name: 'send',
      description: 'sends',
      schema: z.object({ ids: z.array(z.string()).transform(ids => new Set(ids)) }),
      metadata: { readOnlyHint: false },
    },
  )
  let isFirst = true
  const model = new ScriptedModel(({ messages }) => {
    if (messages.some(({ type }) => type === 'tool')) return isFirst ? new Error('gone') : 'done'
    return { toolCalls: [{ name: 'send', args: { ids: [isFirst ? 'a' : 'b'] } }], usage }
  })
  const service = await testService({}, { models: [model.named()], tools: [send] })
  const task_id = randomUUID()
  expect(await service.run('Send', undefined, task_id)).toMatchObject({ status: 'error' })
  isFirst = false
  await service.run('Send', undefined, task_id)
  // It reads first that an earlier run has sent "a", and may then send "b".
  expect(sent).toEqual(['a'])
  expect(model.requests.at(-1)!.messages.at(-1)!.text).toContain('with other arguments')
})

test('a call that nobody waits for ends after its run: the task can be sent again', async () => {
  const { promise: isPaid, resolve: pay } = Promise.withResolvers<string>()
  const slow = tool(async () => await isPaid, {
    name: 'pay',
    description: 'pays',
    schema: z.object({}),
    metadata: { readOnlyHint: false },
  })
  const model = new ScriptedModel(() => 'unused')
  const service = await serviceOf(
    {
      ...agent,
      graph: ({ tools }) =>
        new StateGraph(MessagesAnnotation)
          .addNode('own', async () => {
            void tools[0]!.invoke({}).catch(() => undefined)
            await new Promise(resolve => setImmediate(resolve))
            return { messages: [new AIMessage('on its way')] }
          })
          .addEdge(START, 'own')
          .compile(),
    },
    { env: { REPLAY_TTL_SEC: '0' }, models: [model.named()], tools: [slow] },
  )
  const task_id = randomUUID()
  expect(await service.run('Pay', undefined, task_id)).toMatchObject({ status: 'success' })
  pay('receipt')
  await new Promise(resolve => setImmediate(resolve))
  expect(await service.run('Pay', undefined, task_id)).toMatchObject({ status: 'success' })
})

test('another task with its id begins meanwhile: of two equal runs at once, one pays', async () => {
  const gate = Promise.withResolvers<void>()
  const keys: string[] = []
  const model = new ScriptedModel(async request => {
    await gate.promise
    return pays(ANN)(request)
  })
  const service = await testService({}, { models: [model.named()], tools: [payTool(keys, () => 'paid')] })
  const task_id = randomUUID()
  const first = service.run('Pay Ann', undefined, task_id)
  await model.asked(1)
  const other = service.run('Pay Bob', undefined, task_id)
  await model.asked(2)
  const again = service.run('Pay Ann', undefined, task_id)
  await model.asked(3)
  gate.resolve()
  const replies = await Promise.all([first, other, again])
  expect(replies.map(({ status }) => status)).toEqual(['success', 'success', 'success'])
  // One for each body.
  expect(new Set(keys.map(key => key.slice(0, 22))).size).toBe(2)
  expect(keys).toHaveLength(2)
})
