import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentDefinition } from '@agent-task-service/engine'
import { inStudio } from '@agent-task-service/engine/studio'
import { ScriptedModel, type ScriptedReply, testGraph, testService } from '@agent-task-service/engine/testing'
import { judge, readTasks } from '@agent-task-service/rehearsal/tasks'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { HumanMessage } from '@langchain/core/messages'
import { MemorySaver } from '@langchain/langgraph'
import { getConfigTypeSchema } from '@langchain/langgraph/zod/schema'
import { describe, expect, test } from 'vitest'
import { agent as createAgent } from '../templates/create-agent/src/agent.ts'
import { agent as minimal } from '../templates/minimal/src/agent.ts'
import { agent as rag } from '../templates/rag/src/agent.ts'
import { agent as supervisor } from '../templates/supervisor/src/agent.ts'

interface Case {
  readonly agent: AgentDefinition
  readonly tools: readonly string[]
  /** What the answer to the template's `try` begins with. */
  readonly answer: string
  /** A call that a model makes, another one each time. */
  readonly call: (number: number) => { readonly name: string; readonly args: object }
}

const calculation = (number: number) => ({ name: 'calculator', args: { expression: `1 + ${number}` } })
const cases: Record<string, Case> = {
  minimal: {
    agent: minimal,
    tools: ['calculator', 'time', 'word_count'],
    answer: '15% of 240 = 36\n1776-07-04 is a Thursday.',
    call: calculation,
  },
  rag: {
    agent: rag,
    tools: ['search_documents'],
    answer: 'Returns: You can return goods within 30 days',
    call: number => ({ name: 'search_documents', args: { query: `returns ${number}` } }),
  },
  supervisor: {
    agent: supervisor,
    tools: ['calculator', 'time'],
    answer: '15% of 240 = 36',
    call: number => ({ name: 'ask_mathematician', args: { task: `What is 1 + ${number}?` } }),
  },
  'create-agent': {
    agent: createAgent,
    tools: ['calculator', 'time'],
    answer: '15% of 240 = 36\n1776-07-04 is a Thursday.',
    call: calculation,
  },
}

/** Calls tools as long as it is offered any. */
const insistent = (call: Case['call']) =>
  new ScriptedModel(({ messages, tools }): ScriptedReply => {
    if (tools.length === 0) return 'Done.'
    return { toolCalls: [(tools.includes('calculator') ? calculation : call)(messages.length)] }
  })

describe.each(Object.entries(cases))('the template %s', (name, { agent, tools, answer, call }) => {
  const folder = join(import.meta.dirname, '../templates', name)
  const serve = async (model: ScriptedModel, env = {}) =>
    await testService(agent, { models: [model.named()], env })

  test('answers its own task with the offline model, and its own acceptance tasks', async () => {
    const { run } = await testService(agent)
    const template = JSON.parse(readFileSync(join(folder, 'template.json'), 'utf8'))
    expect((await run(template.try)).output.slice(0, answer.length)).toBe(answer)
    const { tasks } = await readTasks(join(folder, 'tasks.yaml'))
    for (const { input, expect: expected } of tasks) {
      const from = new Date()
      expect(judge(expected, await run(input), { from, to: new Date() })).toEqual([])
    }
  })

  test('obeys the settings of a run, without a warning', async () => {
    const model = new ScriptedModel(['Done.', 'Done.', 'Done.'])
    const { run, lines } = await serve(model)
    expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Done.' })
    await run('Hello', { system_prompt: 'Be a poet.', enabled_tools: [], max_tokens: 50 })
    await run('Hello', { system_prompt: '' })
    expect(await run('Hello', { enabled_tools: ['none'] })).toMatchObject({
      error: expect.stringContaining(`expected one of ${tools.join(', ')}, got`),
    })
    const [asShipped, asPoet, bare] = model.requests
    expect(asShipped?.messages[0]?.text).toBe(agent.systemPrompt)
    expect([asPoet?.messages[0]?.text, asPoet?.maxTokens]).toEqual(['Be a poet.', 50])
    expect(asPoet?.tools.filter(tool => tools.includes(tool))).toEqual([])
    expect(bare?.messages.map(({ type }) => type)).toEqual(['human'])
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
  })

  test('answers before its steps are used up, whoever takes them', async () => {
    for (const MAX_STEPS of ['4', '5', '6', '9', '50']) {
      const { run, lines } = await serve(insistent(call), { MAX_STEPS })
      expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Done.' })
      expect(lines.at(-1)).toMatchObject({ msg: 'run', stop: 'max_steps' })
    }
  })

  test('at the deadline, the text so far is the reply, and the model is told', async () => {
    const time = fakeTime()
    const hang: ScriptedReply = { pieces: ['So ', 'far'], after: new Promise(() => {}) }
    const model = new ScriptedModel(() => (model.requests.length > 1 ? hang : { toolCalls: [call(1)] }))
    const { run } = await serve(model, { RUN_TIMEOUT_SEC: '60' })
    const reply = run('Hello')
    await time.until(model.asked(2))
    await time.pass(60_000)
    expect(await reply).toMatchObject({ status: 'timeout', output: 'So far' })
    expect(model.requests.at(-1)?.signal?.aborted).toBe(true)
  })

  test("is drawn in Studio, with a run's settings as a form", async () => {
    const graph = (await inStudio(agent, { LOG_LEVEL: 'silent' }))()
    const { nodes } = await graph.getGraphAsync()
    expect(Object.keys(nodes)).toEqual(expect.arrayContaining(['__start__', 'tools', '__end__']))
    expect(getConfigTypeSchema(graph)).toMatchObject({
      properties: { system_prompt: {}, max_tokens: {}, enabled_tools: { items: { enum: tools } } },
    })
  })
})

test('subagents work beside each other, in the thread that Studio keeps too', async () => {
  const calls = ['ask_mathematician', 'ask_timekeeper', 'ask_mathematician'].map(name => {
    return { name, args: { task: name } }
  })
  const model = new ScriptedModel(({ messages, tools }) => {
    const last = messages.at(-1)!
    return last.type === 'human' && tools.includes('ask_timekeeper') ? { toolCalls: calls } : `${last.text}!`
  })
  const { graph } = await testGraph(supervisor, { models: [model.named()] })
  const thread = Object.assign(graph(), { checkpointer: new MemorySaver() })
  for (const input of ['Hello', 'Again']) {
    const { messages } = await thread.invoke(
      { messages: [new HumanMessage(input)] },
      { configurable: { thread_id: '1' } },
    )
    expect(messages.slice(-4, -1).map(({ text }: HumanMessage) => text)).toEqual(
      calls.map(({ name }) => `${name}!`),
    )
  }
})

test('what fails in a subagent is told the supervisor', async () => {
  const model = new ScriptedModel([{ toolCalls: [cases.supervisor!.call(1)] }, new Error('down'), 'Sorry.'])
  const { run, lines } = await testService(supervisor, { models: [model.named()] })
  expect(await run('Hello')).toMatchObject({ status: 'success', output: 'Sorry.', metrics: { steps: 4 } })
  expect(model.requests[2]?.messages.at(-1)?.text).toContain('the model call failed')
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})
