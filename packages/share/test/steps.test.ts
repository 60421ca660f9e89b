import { randomUUID } from 'node:crypto'
import type { GraphParts } from '@agent-task-service/engine'
import type { ScriptedReply } from '@agent-task-service/engine/testing'
import { ToolError } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { startCollector } from '@agent-task-service/test-support/collector'
import { testService } from '@agent-task-service/test-support/service'
import { HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { never, sleep } from './simulation/waits.ts'
import { BEAT_MS, Fleet, type ModelRequest } from './two-replicas.ts'

type Tool = Parameters<Fleet['replica']>[0][number]

const ON = { JOURNAL: 'on' }
const usage = { input: 10, output: 5 }
/** Counts the replies of all models: none is worded as another. */
let replies = 0

const results = ({ messages }: ModelRequest) => messages.filter(({ type }) => type === 'tool')
const said = ({ messages }: ModelRequest) => messages.filter(({ type }) => type === 'ai')

/** Calls `look` this often, one call after the other, with words of its own each time; then answers with all that it has read. */
const looks =
  (calls: number) =>
  (request: ModelRequest): ScriptedReply => {
    replies += 1
    const nth = results(request).length
    const text = [...said(request), ...results(request)].map(message => message.text).join(' ')
    if (nth === calls) return { text: `Answer ${replies}: ${text}`, usage }
    return { text: `Thought ${replies}.`, toolCalls: [{ name: 'look', args: { nth } }], usage }
  }

/** The same, but never answers once it has read this many results; resolves when it is asked so. */
function hangsAt(calls: number, script: (request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>) {
  const reached = Promise.withResolvers<void>()
  return {
    reached: reached.promise,
    script: async (request: ModelRequest) => {
      if (results(request).length < calls) return await script(request)
      reached.resolve()
      return await never()
    },
  }
}

/** A tool that sees something else each time. */
function lookTool(seen: string[], work: () => unknown = () => `Sight ${seen.length}.`, metadata = {}): Tool {
  return tool(
    async ({ nth }) => {
      seen.push(String(nth))
      return await work()
    },
    { name: 'look', description: 'looks', schema: z.object({ nth: z.number() }), metadata },
  )
}

/** A fleet whose first replica is lost while its model answers a request with this many results. */
async function lostAt(
  calls: number,
  {
    of = looks(4),
    env = ON,
    look = lookTool([]),
    fleet = new Fleet(),
  }: {
    of?: (request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>
    env?: Record<string, string>
    look?: Tool
    fleet?: Fleet
  } = {},
) {
  const { reached, script } = hangsAt(calls, of)
  const first = await fleet.replica([look], script, env)
  const task_id = randomUUID()
  // A result goes with the next record, or heartbeat.
  await first.loseAt(
    task_id,
    reached.then(() => sleep(BEAT_MS)),
  )
  return { fleet, first, task_id }
}

// EVIDENCE-OF docs/reference/fleet.md: A request that reads the same to a model as a recorded one gets the recorded reply,
//   word for word, and a tool that had ended its result; from the first new request on the run is live.
test('no model call and no tool call that had ended is made again, and every word is the same', async () => {
  const seen: string[] = []
  const { fleet, first, task_id } = await lostAt(3, { look: lookTool(seen) })
  const second = await fleet.replica([lookTool(seen)], looks(4), ON)
  const reply = await second.run(task_id)
  // The fourth call was in flight, and is made again.
  expect(first.model.requests).toHaveLength(4)
  expect(second.model.requests).toHaveLength(2)
  expect(seen).toEqual(['0', '1', '2', '3'])
  const before = first.model.requests.at(-1)!.messages.map(({ type, text }) => [type, text])
  expect(second.model.requests[0]!.messages.map(({ type, text }) => [type, text])).toEqual(before)
  for (const [, text] of before.slice(2)) expect(reply.output).toContain(text)
})

// EVIDENCE-OF docs/reference/fleet.md: The metrics are those of the whole run, once.
test('the metrics are those of the whole run, and the log says what was saved', async () => {
  const { fleet, task_id } = await lostAt(2, { of: looks(3) })
  const second = await fleet.replica([lookTool([])], looks(3), ON)
  expect(await second.run(task_id)).toMatchObject({
    status: 'success',
    metrics: { input_tokens: 40, output_tokens: 20, steps: 7 },
  })
  expect(second.lines('task taken over')).toMatchObject([{ task_id, recorded_steps: 4 }])
  expect(second.lines('run')).toMatchObject([
    { task_id, replayed_steps: 4, saved_tokens: 30, live_from_step: 5 },
  ])
})

// EVIDENCE-OF docs/reference/fleet.md: The log line `run` has `replayed_steps`, `saved_tokens`, `saved_cost_usd` and
//   `live_from_step`; the event stream and traces mark such steps.
test('what failed tries used is counted as well', async () => {
  const busy = Object.assign(new Error('busy'), { status: 503, usage: { prompt_tokens: 7 } })
  let isBusy = true
  const of = (request: ModelRequest) => {
    if (!isBusy) return looks(2)(request)
    isBusy = false
    return busy
  }
  const { fleet, task_id } = await lostAt(1, { of })
  const second = await fleet.replica([lookTool([])], looks(2), ON)
  expect(await second.run(task_id)).toMatchObject({
    metrics: { input_tokens: 37, output_tokens: 15, steps: 5 },
  })
})

// EVIDENCE-OF docs/reference/fleet.md: The log line `run` has `replayed_steps`, `saved_tokens`, `saved_cost_usd` and
//   `live_from_step`; the event stream and traces mark such steps.
test('the stream has the steps, marked as replayed', async () => {
  const { fleet, task_id } = await lostAt(1, { of: looks(2) })
  const second = await fleet.replica([lookTool([])], looks(2), ON)
  const events = await second.events(task_id)
  const ended = events.filter(({ type }) => type === 'model_finished' || type === 'tool_finished')
  expect(ended.map(({ type, data }) => [type, data.step, data.replayed])).toEqual([
    ['model_finished', 1, true],
    ['tool_finished', 2, true],
    ['model_finished', 3, undefined],
    ['tool_finished', 4, undefined],
    ['model_finished', 5, undefined],
  ])
  const texts = events.filter(({ type, data }) => type === 'text' && data.step === 1)
  expect(texts.map(({ data }) => data.text).join('')).toMatch(/^Thought \d+\.$/)
})

// EVIDENCE-OF docs/reference/fleet.md: A request that reads the same to a model as a recorded one gets the recorded reply,
//   word for word, and a tool that had ended its result; from the first new request on the run is live.
test('calls of one turn, and equal calls, each have their own results', async () => {
  const of = (request: ModelRequest): ScriptedReply => {
    if (results(request).length > 0) return looks(3)(request)
    const twice = { name: 'look', args: { nth: 0 } }
    return { toolCalls: [twice, twice, { name: 'look', args: { nth: 1 } }], usage }
  }
  const seen: string[] = []
  const { fleet, first, task_id } = await lostAt(3, { of, look: lookTool(seen) })
  const second = await fleet.replica([lookTool(seen)], of, ON)
  const { output } = await second.run(task_id)
  const texts = first.model.requests.at(-1)!.messages.filter(({ type }) => type === 'tool')
  expect(output).toContain(texts.map(({ text }) => text).join(' '))
  expect(new Set(texts.map(({ text }) => text)).size).toBe(3)
  expect(seen).toHaveLength(3)
})

describe('a tool', () => {
  test('that failed has failed', async () => {
    const seen: string[] = []
    const look = lookTool(seen, () => {
      throw new ToolError(`it is dark, ${seen.length}`)
    })
    const { fleet, task_id } = await lostAt(1, { of: looks(1), look })
    const second = await fleet.replica([look], looks(1), ON)
    expect((await second.run(task_id)).output).toContain('Error: it is dark, 1')
    expect(seen).toHaveLength(1)
  })

  // EVIDENCE-OF docs/reference/fleet.md: A tool with `idempotentHint: true` and `instantHint: true` is called again: it
  //   returns the same at once.
  test('that returns the same at once is called again, and is no step that was missed', async () => {
    const seen: string[] = []
    const cheap = lookTool(seen, () => 'A sight.', {
      readOnlyHint: true,
      idempotentHint: true,
      instantHint: true,
    })
    const { fleet, task_id } = await lostAt(2, { of: looks(2), look: cheap })
    const second = await fleet.replica([cheap], looks(2), ON)
    await second.run(task_id)
    expect(seen).toEqual(['0', '1', '0', '1'])
    expect(second.model.requests).toHaveLength(1)
    expect(second.lines('run')).toMatchObject([{ replayed_steps: 2, live_from_step: 5 }])
  })

  test('whose result has members that are not set has that result', async () => {
    const seen: string[] = []
    const artifact = { sources: [{ title: undefined }], next: undefined }
    const look = lookTool(seen, () => [`Sight ${seen.length}.`, artifact], {})
    Object.assign(look, { responseFormat: 'content_and_artifact' })
    const { fleet, first, task_id } = await lostAt(1, { of: looks(1), look })
    expect(first.lines('step not recorded')).toEqual([])
    const second = await fleet.replica([look], looks(1), ON)
    expect((await second.run(task_id)).output).toContain('Sight 1.')
    expect(seen).toHaveLength(1)
  })

  test('that sets what another call has set since is called again once the run is live', async () => {
    const set: unknown[] = []
    const hints = { readOnlyHint: false, idempotentHint: true }
    const switchTool: Tool = tool(async ({ on }) => `Set ${set.push(on)}.`, {
      name: 'switch',
      description: 'switches',
      schema: z.object({ on: z.boolean() }),
      metadata: hints,
    })
    /** Switches on and off; a replica with another prompt, off and on. */
    const of = (request: ModelRequest): ScriptedReply => {
      const nth = results(request).length
      const isOther = request.messages[0]!.text.startsWith('Be a clerk.')
      if (nth === 2) return { text: 'Done.', usage }
      return { toolCalls: [{ name: 'switch', args: { on: (nth === 0) !== isOther } }], usage }
    }
    const { fleet, task_id } = await lostAt(2, { of, look: switchTool })
    const second = await fleet.replica([switchTool], of, { ...ON, SYSTEM_PROMPT: 'Be a clerk.' })
    expect(await second.run(task_id)).toMatchObject({ status: 'success' })
    expect(set).toEqual([true, false, false, true])
  })

  // EVIDENCE-OF docs/reference/fleet.md: So is one that asks models or calls tools itself, of whose steps none is made again.
  test('that asks a model is called again, and its steps are not made again', async () => {
    let model: GraphParts['model']
    const sights: string[] = []
    const graph = (parts: GraphParts) => {
      model = parts.model
      return agent.graph(parts, {} as never)
    }
    const look = () =>
      lookTool([], async () => {
        const { text } = await model.invoke([new HumanMessage('Look.')])
        if (text.includes('dark')) throw new ToolError(text)
        return text
      })
    const isOfTool = ({ messages }: ModelRequest) => messages[0]!.text === 'Look.'
    const of = (request: ModelRequest): ScriptedReply => {
      replies += 1
      return isOfTool(request)
        ? { text: sights.push('') > 1 ? `Sight ${replies}` : 'dark', usage }
        : looks(3)(request)
    }
    const { reached, script } = hangsAt(2, of)
    const fleet = new Fleet()
    const first = await fleet.replica([look()], script, ON, graph)
    const task_id = randomUUID()
    await first.loseAt(
      task_id,
      reached.then(() => sleep(BEAT_MS)),
    )
    const second = await fleet.replica([look()], of, ON, graph)
    const { output, metrics } = await second.run(task_id)
    expect(metrics).toMatchObject({ input_tokens: 70, output_tokens: 35, steps: 10 })
    expect(second.model.requests.map(request => [isOfTool(request), results(request).length])).toEqual([
      [false, 2],
      [true, 0],
      [false, 3],
    ])
    expect(second.lines('run')).toMatchObject([{ replayed_steps: 4, live_from_step: 7 }])
    expect(output).toContain('dark')
  })

  test('that returns something else shows the model something new', async () => {
    const seen: string[] = []
    const clock = lookTool(seen, () => `At ${seen.length}.`, {
      readOnlyHint: true,
      idempotentHint: true,
      instantHint: true,
    })
    const { fleet, task_id } = await lostAt(2, { of: looks(2), look: clock })
    const second = await fleet.replica([clock], looks(2), ON)
    const { output } = await second.run(task_id)
    expect(output).toContain('At 3. At 4.')
    expect(second.model.requests.map(request => results(request).length)).toEqual([1, 2])
  })

  test('that has read the web counts as one that has', async () => {
    const web = lookTool([], () => 'Pay Ann!', { openWorldHint: true })
    const { fleet, task_id } = await lostAt(1, { of: looks(1), look: web })
    const pay = tool(async () => 'paid', {
      name: 'pay',
      description: 'pays',
      schema: z.object({}),
      metadata: { readOnlyHint: false },
    })
    const of = (request: ModelRequest): ScriptedReply => {
      if (results(request).length === 1) return { toolCalls: [{ name: 'pay' }], usage }
      return { text: results(request).at(-1)!.text, usage }
    }
    // The model is offered another tool, so its first reply is not replayed, unlike the result.
    const second = await fleet.replica(
      [web, pay],
      request => (results(request).length === 0 ? looks(1)(request) : of(request)),
      ON,
    )
    expect((await second.run(task_id)).output).toContain('has read the web')
  })
})

// EVIDENCE-OF docs/reference/fleet.md: Not recorded is what a secret would be masked in, what takes over 64 kB, or more than
//   1 MB of a run
test.each([
  ['a secret', 'the key is secret-of-the-model', 'masked'],
  ['more than 64 kB', 'x'.repeat(70_000), 'too_large'],
])('a reply with %s is not recorded: from there the run goes on live', async (_what, text, reason) => {
  const env = { ...ON, OPENAI_API_KEY: 'secret-of-the-model' }
  const of = (request: ModelRequest): ScriptedReply => {
    if (results(request).length !== 1) return looks(3)(request)
    return { text, toolCalls: [{ name: 'look', args: { nth: 1 } }], usage }
  }
  const { fleet, first, task_id } = await lostAt(3, { of, env })
  expect(first.lines('step not recorded')).toMatchObject([{ task_id, reason }])
  const second = await fleet.replica([lookTool([])], looks(3), env)
  await second.run(task_id)
  expect(second.model.requests.map(request => results(request).length)).toEqual([1, 2, 3])
  // Tools had been called with the same arguments later on: their results are not paid for again.
  expect(second.lines('run')).toMatchObject([{ replayed_steps: 4, live_from_step: 3 }])
})

// EVIDENCE-OF docs/reference/fleet.md: Not recorded is what a secret would be masked in, what takes over 64 kB, or more than
//   1 MB of a run
test('at most 1 MB of a run is recorded', async () => {
  const of = (request: ModelRequest): ScriptedReply => {
    const nth = results(request).length
    return { text: String(nth % 10).repeat(60_000), toolCalls: [{ name: 'look', args: { nth } }], usage }
  }
  const { fleet, first, task_id } = await lostAt(20, { of })
  expect(first.lines('step not recorded')).toMatchObject([{ task_id, reason: 'too_large' }])
  const second = await fleet.replica([lookTool([])], looks(20), ON)
  await second.run(task_id)
  expect(results(second.model.requests[0]!)).toHaveLength(17)
})

// EVIDENCE-OF docs/reference/fleet.md: Any other tool with a result in the record does not run, so what a tool leaves in its
//   own process (a file, a session, notes in memory) is not there at the next replica
test.each([
  ['quick', 0, ['0', '1', '1']],
  ['slow', 1_000, ['0', '1']],
])('a %s result is recorded in time', async (_speed, ms, expected) => {
  const seen: string[] = []
  const look = lookTool(seen, async () => {
    await sleep(ms)
    return 'A sight.'
  })
  const fleet = new Fleet()
  const { reached, script } = hangsAt(2, looks(2))
  const first = await fleet.replica([look], script, ON)
  const task_id = randomUUID()
  await first.loseAt(task_id, reached)
  const second = await fleet.replica([look], looks(2), ON)
  await second.run(task_id)
  // The first one went with the reply that it led to.
  expect(seen).toEqual(expected)
})

describe('a task that is sent again after', () => {
  // EVIDENCE-OF docs/reference/fleet.md: A task that is sent again after `error` or `timeout` is done anew, but for its side
  //   effects.
  test.each([
    ['error', new Error('broken')],
    ['timeout', undefined],
  ])('%s is done anew', async (status, failure) => {
    const fleet = new Fleet()
    let isFirst = true
    const env = { ...ON, RUN_TIMEOUT_SEC: '5', ANSWER_BY_SEC: '5' }
    const only = await fleet.replica(
      [lookTool([])],
      request => (isFirst && results(request).length === 1 ? (failure ?? never()) : looks(1)(request)),
      env,
    )
    const task_id = randomUUID()
    expect(await only.run(task_id)).toMatchObject({ status })
    expect(fleet.redis.keys.filter(key => key.endsWith(':steps'))).toEqual([])
    isFirst = false
    const asked = only.model.requests.length
    expect(await only.run(task_id)).toMatchObject({ status: 'success' })
    expect(results(only.model.requests[asked]!)).toHaveLength(0)
  })

  // EVIDENCE-OF docs/reference/fleet.md: So goes on what was lost or cut off: a replica that is gone or was told to stop, a
  //   task whose callers all hung up.
  test('all its callers hung up goes on', async () => {
    const fleet = new Fleet()
    const { reached, script } = hangsAt(1, looks(1))
    let isSentAgain = false
    const only = await fleet.replica(
      [lookTool([])],
      request => (isSentAgain ? looks(1)(request) : script(request)),
      ON,
    )
    const task_id = randomUUID()
    await only.hangUpAt(task_id, reached)
    isSentAgain = true
    expect(await only.run(task_id)).toMatchObject({ status: 'success', metrics: { steps: 3 } })
    expect(only.model.requests.map(request => results(request).length)).toEqual([0, 1, 1])
  })

  // EVIDENCE-OF docs/reference/fleet.md: So goes on what was lost or cut off: a replica that is gone or was told to stop, a
  //   task whose callers all hung up.
  test('its replica was told to stop goes on at another one', async () => {
    const fleet = new Fleet()
    const { reached, script } = hangsAt(1, looks(1))
    const first = await fleet.replica([lookTool([])], script, ON)
    const task_id = randomUUID()
    const cutOff = first.run(task_id)
    await fleet.after(reached)
    first.service.tasks.endAll()
    expect(await cutOff).toMatchObject({ status: 'timeout' })
    const second = await fleet.replica([lookTool([])], looks(1), ON)
    expect(await second.run(task_id)).toMatchObject({ status: 'success' })
    expect(second.model.requests).toHaveLength(1)
  })
})

test('what a replica that was cut off has since brought is not recorded', async () => {
  const fleet = new Fleet()
  const answered = Promise.withResolvers<void>()
  const { script } = hangsAt(2, looks(3))
  const cutOff = await fleet.replica(
    [lookTool([])],
    request =>
      results(request).length === 1 ? answered.promise.then(() => script(request)) : script(request),
    ON,
  )
  const task_id = randomUUID()
  void cutOff.service.run('Pay 5 to Ann', undefined, task_id)
  await fleet.pass(500)
  cutOff.client.link = 'cut'
  const second = hangsAt(2, looks(3))
  const owner = await fleet.replica([lookTool([])], second.script, ON)
  await owner.loseAt(
    task_id,
    second.reached.then(async () => {
      answered.resolve()
      await sleep(1_500)
      cutOff.client.link = 'open'
      await sleep(3_000)
      cutOff.client.isDead = true
    }),
  )
  const third = await fleet.replica([lookTool([])], looks(3), ON)
  expect(await third.run(task_id)).toMatchObject({ status: 'success' })
  const texts = ({ messages }: ModelRequest) => messages.map(({ text }) => text)
  expect(texts(third.model.requests[0]!)).toEqual(texts(owner.model.requests.at(-1)!))
})

describe('a replica that goes on after another one has taken its run over', () => {
  const env = { ...ON, OPENAI_API_KEY: 'secret-of-the-model' }
  /** Calls `nap` and `look` in turns of their own. What it says is not recorded. */
  const of = (request: ModelRequest): ScriptedReply => {
    const name = ['nap', 'look'][results(request).length]
    if (name === undefined) return { text: 'Done.', usage }
    return { text: env.OPENAI_API_KEY, toolCalls: [{ name, args: { nth: 0 } }], usage }
  }
  const napTool = (work: () => unknown): Tool =>
    tool(async () => await work(), {
      name: 'nap',
      description: 'naps',
      schema: z.object({ nth: z.number() }),
      metadata: { readOnlyHint: true, idempotentHint: true, instantHint: true },
    })

  test.each([
    ['model', 'nap', 1],
    ['tool', 'the second turn', 2],
  ])('calls no %s: it was suspended during %s', async (_what, when, turns) => {
    const fleet = new Fleet()
    const seen: string[] = []
    const suspended = async () => {
      // A caller waits at the other replica by then.
      await fleet.wait(1_500)
      await fleet.suspend(first.client, 6_000)
      return 'Slept.'
    }
    const first = await fleet.replica(
      [napTool(() => (when === 'nap' ? suspended() : 'Slept.')), lookTool(seen)],
      async request => {
        if (when !== 'nap' && results(request).length === 1) await suspended()
        return of(request)
      },
      env,
    )
    const second = await fleet.replica([napTool(() => 'Slept.'), lookTool([])], of, env)
    const task_id = randomUUID()
    const later = fleet.wait(50).then(() => second.run(task_id))
    const replies = await Promise.all([first.run(task_id), later])
    expect(replies[0]).toMatchObject({ status: 'success' })
    expect(replies[1]).toEqual(replies[0])
    expect(first.model.requests).toHaveLength(turns)
    expect(seen).toEqual([])
  })
})

describe('a run goes on unrecorded', () => {
  // EVIDENCE-OF docs/reference/fleet.md: While Redis is away a run goes on, and what it has not recorded is sent once Redis
  //   is back.
  test('while Redis is away, and what was not recorded is once it is back', async () => {
    const fleet = new Fleet()
    const { reached, script } = hangsAt(2, looks(2))
    const first = await fleet.replica(
      [lookTool([])],
      request => {
        fleet.redis.isDown = results(request).length === 1
        return script(request)
      },
      ON,
    )
    const task_id = randomUUID()
    await first.loseAt(
      task_id,
      fleet.after(reached).then(() => fleet.pass(3_000)),
    )
    const second = await fleet.replica([lookTool([])], looks(2), ON)
    expect(await second.run(task_id)).toMatchObject({ status: 'success' })
    expect(second.model.requests).toHaveLength(1)
  })

  test('of which Redis learns later, and has no steps of a lost one', async () => {
    const fleet = new Fleet()
    const { reached, script } = hangsAt(1, looks(1))
    // What it brings is recorded for longer than the task.
    const slow = lookTool([], async () => {
      await sleep(9_000)
      return 'A sight.'
    })
    const first = await fleet.replica([slow], script, { ...ON, RUN_TIMEOUT_SEC: '10' })
    const alone = await fleet.replica([lookTool([])], never, ON)
    const third = await fleet.replica([lookTool([])], looks(1), ON)
    const task_id = randomUUID()
    const isDown = (is: boolean) => () => {
      fleet.redis.isDown = is
    }
    await first.loseAt(task_id, reached.then(isDown(true)))
    const known = sleep(500)
      .then(isDown(false))
      .then(() => sleep(2_500))
    await alone.loseAt(task_id, known)
    expect(await third.run(task_id)).toMatchObject({ status: 'success' })
    expect(third.lines('task taken over')).toMatchObject([{ recorded_steps: 0 }])
  })

  // EVIDENCE-OF docs/configuration.md: | `JOURNAL` |
  // EVIDENCE-OF docs/reference/fleet.md: Why, and what was measured.
  test.each(['effects', 'off'])('with JOURNAL=%s', async JOURNAL => {
    const off = { JOURNAL }
    const { fleet, task_id } = await lostAt(1, { of: looks(1), env: off })
    const second = await fleet.replica([lookTool([])], looks(1), off)
    expect(await second.run(task_id)).toMatchObject({ status: 'success' })
    expect(second.model.requests).toHaveLength(2)
  })
})

// EVIDENCE-OF docs/reference/fleet.md: So does a replica with another prompt, other tools or other models, and one that takes
//   over after midnight UTC: the prompt that ships has the date.
test('a replica with another prompt asks its own models', async () => {
  const { fleet, task_id } = await lostAt(1, { of: looks(1) })
  const second = await fleet.replica([lookTool([])], looks(1), { ...ON, SYSTEM_PROMPT: 'Be a clerk.' })
  expect(await second.run(task_id)).toMatchObject({ status: 'success' })
  expect(second.model.requests).toHaveLength(2)
})

test('a record that cannot be read is none', async () => {
  const { fleet, task_id } = await lostAt(1, { of: looks(1) })
  fleet.redis.damage(/:steps$/, value => value.slice(1))
  const second = await fleet.replica([lookTool([])], looks(1), ON)
  expect(await second.run(task_id)).toMatchObject({ status: 'success' })
  expect(second.model.requests).toHaveLength(2)
})

test('an answer that a cap cut off is cut off for the next replica too', async () => {
  const fleet = new Fleet()
  const first = await fleet.replica([], () => ({ text: 'So far', finishReason: 'length', usage }), ON)
  const task_id = randomUUID()
  await first.loseOnFinish(task_id)
  const second = await fleet.replica([], looks(0), ON)
  expect(await second.run(task_id)).toMatchObject({ status: 'success', output: 'So far' })
  expect(second.model.requests).toHaveLength(0)
  expect(second.lines('run')).toMatchObject([{ cut: true, replayed_steps: 1 }])
})

describe('the soft deadline', () => {
  const env = { ...ON, ANSWER_BY_SEC: '1', RUN_TIMEOUT_SEC: '60' }
  const isLate = ({ messages }: ModelRequest) => /nearly over/.test(messages.at(-1)!.text)

  test('counts once all records are read, for a caller that has waited long', async () => {
    const fleet = new Fleet()
    const { reached, script } = hangsAt(2, looks(4))
    const first = await fleet.replica([lookTool([])], script, env)
    const second = await fleet.replica([lookTool([])], looks(2), env)
    const task_id = randomUUID()
    const waiting = reached.then(() => second.service.run('Pay 5 to Ann', undefined, task_id))
    await first.loseAt(task_id, reached)
    expect(await fleet.after(waiting)).toMatchObject({ metrics: { steps: 5, input_tokens: 30 } })
    expect(second.model.requests.map(request => [results(request).length, isLate(request)])).toEqual([
      [2, true],
    ])
  })

  test('lets the first new call have its tools', async () => {
    const fleet = new Fleet()
    const tools = () => [
      lookTool([]),
      tool(async () => `At ${performance.now()}.`, {
        name: 'clock',
        description: 'tells the time',
        schema: z.object({}),
        metadata: { readOnlyHint: true, idempotentHint: true, instantHint: true },
      }),
    ]
    const of = (request: ModelRequest): ScriptedReply =>
      results(request).length === 0 ? { toolCalls: [{ name: 'clock' }], usage } : looks(2)(request)
    const { reached, script } = hangsAt(2, of)
    const first = await fleet.replica(tools(), script, env)
    const second = await fleet.replica(tools(), of, env)
    const task_id = randomUUID()
    const waiting = reached.then(() => second.service.run('Pay 5 to Ann', undefined, task_id))
    await first.loseAt(task_id, reached)
    expect((await fleet.after(waiting)).output).toContain('Sight 1.')
    expect(second.model.requests.map(isLate)).toEqual([false, true])
  })

  test('that was over is over for a caller that has just come', async () => {
    const fleet = new Fleet()
    const slow = lookTool([], async () => {
      await sleep(4_000)
      return 'A sight.'
    })
    const first = await fleet.replica([slow], looks(1), env)
    const task_id = randomUUID()
    await first.loseOnFinish(task_id)
    expect(first.model.requests.map(isLate)).toEqual([false, true])
    const second = await fleet.replica([slow], looks(1), env)
    expect(await second.run(task_id)).toMatchObject({ status: 'success', metrics: { steps: 3 } })
    expect(second.model.requests).toHaveLength(0)
  })
})

// EVIDENCE-OF docs/reference/fleet.md: Records are gone once there is a reply, or with the time of the run.
test('nothing is left once there is a reply', async () => {
  const fleet = new Fleet()
  const only = await fleet.replica([lookTool([])], looks(1), ON)
  await only.run(randomUUID())
  expect(fleet.redis.keys.filter(key => key.endsWith(':steps'))).toEqual([])
})

// EVIDENCE-OF docs/reference/fleet.md: The metrics are those of the whole run, once.
// EVIDENCE-OF docs/guides/tracing.md: Of a run that goes on for a lost one, calls that were not made again have `agent.call.replayed`
//   and no usage, and are in no metric: the lost one has counted them.
test('traces show what was not made again, and metrics count it once', async () => {
  const collector = await startCollector()
  // Loads what a clock that stands still cannot load.
  await (await testService(collector.env)).close()
  const fleet = new Fleet()
  const second = await fleet.replica([lookTool([])], looks(1), { ...ON, ...collector.env })
  const { task_id } = await lostAt(1, { of: looks(1), fleet })
  await second.run(task_id)
  await fleet.after(second.service.close())
  const spans = collector.spans.filter(({ name }) => /^(chat|execute_tool) /.test(name))
  expect(
    spans.map(({ name, attributes }) => [
      name,
      attributes['agent.call.replayed'],
      attributes['gen_ai.usage.input_tokens'],
    ]),
  ).toEqual([
    ['chat scripted', true, undefined],
    ['execute_tool look', true, undefined],
    ['chat scripted', undefined, 10],
  ])
  expect(collector.metric('gen_ai.client.inference.duration')).toMatchObject([{ count: 1 }])
  expect(collector.metric('gen_ai.execute_tool.duration')).toEqual([])
})

// EVIDENCE-OF docs/reference/fleet.md: and what is no JSON, such as a `ToolMessage` or a `Command`
test('what is no JSON is not recorded, and the run goes on', async () => {
  const circle: unknown[] = ['text']
  circle.push(circle)
  const pairs = tool(async () => ['Sight.', circle], {
    name: 'look',
    description: 'looks',
    schema: z.object({ nth: z.number() }),
    responseFormat: 'content_and_artifact',
  })
  const { fleet, first, task_id } = await lostAt(1, { of: looks(1), look: pairs })
  expect(first.lines('step not recorded')).toMatchObject([{ task_id, reason: 'no_json' }])
  const second = await fleet.replica([pairs], looks(1), ON)
  expect(await second.run(task_id)).toMatchObject({ status: 'success' })
  expect(second.model.requests).toHaveLength(1)
  expect(second.lines('run')).toMatchObject([{ replayed_steps: 1, live_from_step: 3 }])
})
