import { randomUUID } from 'node:crypto'
import { ToolError, UnknownOutcome } from '@agent-task-service/engine/tool'
import { ToolMessage } from '@langchain/core/messages'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ANN, BEAT_MS, Fleet, hangingWork, pays, paysThenHangs, payTool, usage } from '../two-replicas.ts'

const BOB = { to: 'Bob', amount: 7 }

/**
 * A fleet in which the first replica is lost after these calls have ended.
 *
 * @param work what the tool does, after it has had its effect
 * @param more of its fields
 */
async function lostAfter(
  calls: readonly object[],
  work?: (key: string) => unknown,
  env = {},
  more: Parameters<typeof payTool>[2] = {},
) {
  const fleet = new Fleet()
  const keys: string[] = []
  const { reached, script } = paysThenHangs(...calls)
  const first = await fleet.replica([payTool(keys, work, more)], script, env)
  const task_id = randomUUID()
  await first.loseAt(task_id, reached)
  return { fleet, keys, task_id, first }
}

/**
 * A fleet in which the first replica is lost during its call.
 *
 * @param more fields of its tool
 */
async function lostDuring(more: Parameters<typeof payTool>[2] = {}) {
  const fleet = new Fleet()
  const keys: string[] = []
  const { begun, work } = hangingWork()
  const first = await fleet.replica([payTool(keys, work, more)], pays(ANN))
  const task_id = randomUUID()
  await first.loseAt(task_id, begun)
  return { fleet, keys, task_id }
}

describe('what had ended is not done again', () => {
  // EVIDENCE-OF docs/configuration.md: | `JOURNAL` |
  // EVIDENCE-OF docs/reference/fleet.md: side effects.
  // EVIDENCE-OF docs/reference/fleet.md: A task that is taken over, or sent again because it ended with `error` or `timeout`,
  //   makes no call again that had ended: the model gets its recorded result.
  test('the same calls get the same results', async () => {
    const { fleet, keys, task_id } = await lostAfter([ANN, BOB], key => `receipt ${key}`)
    const second = await fleet.replica([payTool(keys)], pays(ANN, BOB))
    const reply = await second.run(task_id)
    expect(reply).toMatchObject({ status: 'success', output: `receipt ${keys[0]} | receipt ${keys[1]}` })
    expect(keys).toHaveLength(2)
    const lines = second.lines('effect not repeated')
    expect(lines.map(({ level, task_id, tool, key }) => [level, task_id, tool, key])).toEqual(
      keys.map(key => ['info', task_id, 'pay', key]),
    )
  })

  // EVIDENCE-OF docs/reference/fleet.md: A task that is taken over, or sent again because it ended with `error` or `timeout`,
  //   makes no call again that had ended: the model gets its recorded result.
  test('in another order, and with the members of the arguments in another order', async () => {
    // A schema with members would put them in its own order.
    const schema = z.looseObject({})
    const { fleet, keys, task_id } = await lostAfter([ANN, BOB], key => `receipt ${key}`, {}, { schema })
    const second = await fleet.replica(
      [payTool(keys, undefined, { schema })],
      pays({ amount: 7, to: 'Bob' }, { amount: 5, to: 'Ann' }),
    )
    expect(await second.run(task_id)).toMatchObject({ output: `receipt ${keys[1]} | receipt ${keys[0]}` })
    expect(keys).toHaveLength(2)
  })

  // EVIDENCE-OF docs/reference/fleet.md: A task that is taken over, or sent again because it ended with `error` or `timeout`,
  //   makes no call again that had ended: the model gets its recorded result.
  test('a failure that the tool itself told is told again', async () => {
    const fail = () => {
      throw new ToolError('the card is declined')
    }
    const { fleet, keys, task_id } = await lostAfter([ANN], fail)
    const second = await fleet.replica([payTool(keys)], pays(ANN))
    expect(await second.run(task_id)).toMatchObject({ output: 'Error: the card is declined' })
    expect(keys).toHaveLength(1)
  })

  // EVIDENCE-OF docs/reference/fleet.md: up to 64 kB for its result, up to 128 kB for all results of a task
  test('a result over 64 kB is not kept, and the model reads that the call succeeded', async () => {
    const { fleet, keys, task_id } = await lostAfter([ANN], () =>
      ['x', 'y'].map(() => ({ type: 'text', text: '€'.repeat(15_000) })),
    )
    const second = await fleet.replica([payTool(keys)], pays(ANN))
    expect(await second.run(task_id)).toMatchObject({
      output: expect.stringContaining('it succeeded. Its result was not kept'),
    })
    expect(keys).toHaveLength(1)
  })

  // EVIDENCE-OF docs/reference/fleet.md: up to 64 kB for its result, up to 128 kB for all results of a task
  test.each([
    [
      'results',
      () => [{ type: 'text', text: '€'.repeat(20_000) }],
      /€{20000}.*it succeeded. Its result was not kept/,
    ],
    [
      'messages of failures',
      () => {
        throw new ToolError('€'.repeat(20_000))
      },
      /€{20000}.*it failed. Its message was not kept/,
    ],
  ])('the %s of a task take at most 128 kB, and no call is made again', async (_what, work, told) => {
    const calls = Array.from({ length: 5 }, (_, amount) => ({ to: 'Ann', amount }))
    const { fleet, keys, task_id } = await lostAfter(calls, work)
    const [key = ''] = fleet.redis.keys
    const values = [...fleet.redis.fieldsOf(key)].filter(([field]) => field.startsWith('e:'))
    expect(values).toHaveLength(calls.length)
    expect(Buffer.byteLength(values.join(''))).toBeLessThan(2 ** 17 + calls.length * 250)
    const second = await fleet.replica([payTool(keys, work)], pays(...calls))
    expect(await second.run(task_id)).toMatchObject({
      status: 'success',
      output: expect.stringMatching(told),
    })
    expect(keys).toHaveLength(calls.length)
  })

  // EVIDENCE-OF docs/reference/fleet.md: | a task with an answer of 2 kB | 3.2 kB
  test('a task that failed keeps what it has paid, and its reply only for those who wait', async () => {
    const fleet = new Fleet()
    const gate = Promise.withResolvers<void>()
    const { begun, work } = hangingWork()
    const first = await fleet.replica(
      [
        payTool([], async key => {
          void work(key)
          await gate.promise
        }),
      ],
      request => {
        if (request.messages.some(({ type }) => type === 'tool')) throw new Error('no')
        return pays(ANN)(request)
      },
    )
    const second = await fleet.replica([payTool([])], pays(ANN))
    const task_id = randomUUID()
    const replies = [first.service.run('Pay 5 to Ann', undefined, task_id)]
    await fleet.after(begun)
    replies.push(second.service.run('Pay 5 to Ann', undefined, task_id))
    await fleet.pass(BEAT_MS)
    gate.resolve()
    const [one, other] = await fleet.after(Promise.all(replies))
    expect(one).toMatchObject({ status: 'error' })
    expect(other).toEqual(one)
    await fleet.pass(6_000)
    const names = fleet.redis.keys.flatMap(key => [...fleet.redis.fieldsOf(key).keys()])
    expect(names.filter(name => name.startsWith('e:'))).toHaveLength(1)
    expect(names).not.toContain('response')
  })

  // EVIDENCE-OF docs/reference/fleet.md: A model that words a call otherwise after a takeover reads once what was done
  //   before, and is believed if it then calls again.
  test('a model that words the call otherwise reads once what was done, and may then go on', async () => {
    const { fleet, keys, task_id } = await lostAfter([ANN], () => 'receipt 1')
    const second = await fleet.replica([payTool(keys, () => 'receipt 2')], pays(BOB, BOB))
    const { output } = await second.run(task_id)
    expect(output).toContain(
      'an earlier run of this task had already called pay with other arguments. It returned: receipt 1.',
    )
    expect(output).toMatch(/\| receipt 2$/)
    expect(new Set(keys).size).toBe(2)
  })

  // EVIDENCE-OF docs/reference/tool-rules.md: The same call has the same key if another replica makes it, or if it is made
  //   again because its outcome was unknown; otherwise each call has another.
  test('the same call twice in a run is two calls, also for the next replica', async () => {
    const { fleet, keys, task_id } = await lostAfter([ANN, ANN], key => key)
    expect(new Set(keys).size).toBe(2)
    const second = await fleet.replica([payTool(keys, key => key)], pays(ANN, ANN, ANN))
    expect(await second.run(task_id)).toMatchObject({ output: keys.join(' | ') })
    expect(new Set(keys).size).toBe(3)
  })

  test('what is masked in logs is masked in the result that is given again', async () => {
    const env = { OPENAI_API_KEY: 'secret-of-the-first' }
    const { fleet, keys, task_id } = await lostAfter([ANN], () => 'paid with secret-of-the-first', env)
    const second = await fleet.replica([payTool(keys)], pays(ANN))
    expect(await second.run(task_id)).toMatchObject({ output: 'paid with [redacted]' })
  })
})

// EVIDENCE-OF docs/reference/fleet.md: A run that is cancelled because its callers hung up has no reply yet: sent again
//   within 24 hours, the task makes none of its calls again.
test('all callers hang up: when the task is sent again, it makes no call again', async () => {
  const fleet = new Fleet()
  const keys: string[] = []
  const { reached, script } = paysThenHangs(ANN)
  let isSentAgain = false
  const only = await fleet.replica([payTool(keys, key => `receipt ${key}`)], request =>
    isSentAgain ? pays(ANN)(request) : script(request),
  )
  const task_id = randomUUID()
  const hangUp = new AbortController()
  const body = JSON.stringify({ task_id, input: 'Pay 5 to Ann' })
  const headers = { 'content-type': 'application/json' }
  const left = only.service.app.request('/run', { method: 'POST', headers, body, signal: hangUp.signal })
  void Promise.resolve(left).catch(() => undefined)
  await fleet.after(reached)
  hangUp.abort()
  await fleet.after(only.service.tasks.idle())
  isSentAgain = true
  expect(await only.run(task_id)).toMatchObject({ status: 'success', output: `receipt ${keys[0]}` })
  expect(keys).toHaveLength(1)
})

describe('a call that had begun and not ended', () => {
  const UNKNOWN =
    /the outcome is unknown: nobody can say whether pay \(key \S+, begun at 2026-01-01T00:00:\d\d\.\d{3}Z\)/

  // EVIDENCE-OF docs/reference/fleet.md: Sent again, the task gets the same error for 24 hours, and is not run, unless a
  //   lookup then succeeds.
  // EVIDENCE-OF docs/reference/errors.md: A call with side effects began, and nobody can say whether it happened: the replica was lost,
  //   the run ended meanwhile, or the call ended in a way that does not say.
  test('ends the run with an error that names it, now and when the task is sent again', async () => {
    const { fleet, keys, task_id } = await lostDuring()
    const second = await fleet.replica([payTool(keys)], pays(ANN))
    const reply = await second.run(task_id)
    expect(reply).toMatchObject({
      status: 'error',
      output: '',
      metrics: {},
      error: expect.stringMatching(UNKNOWN),
    })
    expect(JSON.stringify(reply)).toContain(keys[0])
    expect(second.lines('effect unknown')).toMatchObject([
      { level: 'error', task_id, tool: 'pay', key: keys[0] },
    ])
    await fleet.pass(3_600_000)
    expect(await second.run(task_id)).toEqual(reply)
    expect(second.model.requests).toEqual([])
    expect(keys).toHaveLength(1)
    // Another task is another run.
    expect(await second.run(randomUUID())).toMatchObject({ status: 'success' })
    expect(keys).toHaveLength(2)
  })

  // EVIDENCE-OF docs/reference/fleet.md: Else the run ends with an error that names tool, key and time, and the calls that
  //   had succeeded before; so does the log line `effect unknown`.
  // EVIDENCE-OF docs/reference/errors.md: The error names each such call by tool, key and time, and those that had succeeded
  //   (fleet.md)
  test('the error names what had succeeded before', async () => {
    const fleet = new Fleet()
    const keys: string[] = []
    const { begun, work } = hangingWork()
    const first = await fleet.replica(
      [payTool(keys, key => (keys.length === 1 ? 'paid' : work(key)))],
      pays(ANN, BOB),
    )
    const task_id = randomUUID()
    await first.loseAt(task_id, begun)
    const second = await fleet.replica([payTool(keys)], pays(ANN, BOB))
    const reply = await second.run(task_id)
    expect(JSON.stringify(reply)).toMatch(
      new RegExp(
        `whether pay \\(key ${keys[1]}, [^)]+\\) happened; pay \\(key ${keys[0]}, [^)]+\\) had succeeded`,
      ),
    )
  })

  // EVIDENCE-OF docs/reference/fleet.md: A call that had begun and not ended is looked up, if its tool has a `lookup`.
  // EVIDENCE-OF docs/guides/tools.md: So it says that it has side effects, sends the key of its call, and can find out what became of
  //   a call.
  test('its lookup finds the result: the run goes on with it', async () => {
    const { fleet, keys, task_id } = await lostDuring()
    const asked: string[] = []
    const lookup = async (key: string) => `found ${asked.push(key)}`
    const second = await fleet.replica([payTool(keys, undefined, { lookup })], pays(ANN))
    expect(await second.run(task_id)).toMatchObject({ status: 'success', output: 'found 1' })
    expect(asked).toEqual(keys)
    expect(keys).toHaveLength(1)
  })

  // EVIDENCE-OF docs/reference/tool-rules.md: The same call has the same key if another replica makes it, or if it is made
  //   again because its outcome was unknown; otherwise each call has another.
  // EVIDENCE-OF docs/reference/tool-rules.md: It returns what the call with this key returned, or `undefined` if it did not
  //   happen and never will, and throws if it cannot tell.
  test('its lookup finds nothing: it is called with the same key', async () => {
    const { fleet, keys, task_id } = await lostDuring()
    const lookup = async () => undefined
    const second = await fleet.replica([payTool(keys, () => 'paid now', { lookup })], pays(ANN))
    expect(await second.run(task_id)).toMatchObject({ status: 'success', output: 'paid now' })
    expect(keys).toHaveLength(2)
    expect(keys[1]).toBe(keys[0])
  })

  // EVIDENCE-OF docs/reference/fleet.md: Sent again, the task gets the same error for 24 hours, and is not run, unless a
  //   lookup then succeeds.
  test('its lookup fails, and works later: the task that is sent again goes on', async () => {
    const { fleet, keys, task_id } = await lostDuring()
    let isUp = false
    const lookup = async () => {
      if (!isUp) throw new Error('the bank is closed')
      return 'found'
    }
    const second = await fleet.replica([payTool(keys, undefined, { lookup })], pays(ANN))
    expect(await second.run(task_id)).toMatchObject({
      status: 'error',
      error: expect.stringMatching(UNKNOWN),
    })
    isUp = true
    expect(await second.run(task_id)).toMatchObject({ status: 'success', output: 'found' })
    expect(keys).toHaveLength(1)
  })

  // EVIDENCE-OF docs/reference/fleet.md: A call that had begun and not ended is looked up, if its tool has a `lookup`.
  test('a lookup that hangs ends at the time limit of its tool', async () => {
    const { fleet, keys, task_id } = await lostDuring()
    const metadata = { readOnlyHint: false, timeLimitMs: 3_000 }
    const second = await fleet.replica(
      [payTool(keys, undefined, { metadata, lookup: () => new Promise(() => undefined) })],
      pays(ANN),
    )
    expect(await second.run(task_id)).toMatchObject({
      status: 'error',
      error: expect.stringMatching(UNKNOWN),
    })
  })

  // EVIDENCE-OF docs/reference/tool-rules.md: The same call has the same key if another replica makes it, or if it is made again because
  //   its outcome was unknown; otherwise each call has another.
  test.each([
    ['a tool that only reads', { readOnlyHint: true }],
    ['a tool that may repeat', { readOnlyHint: false, idempotentHint: true }],
  ])('%s is called again, with the same key', async (_name, metadata) => {
    const { fleet, keys, task_id } = await lostDuring({ metadata })
    const second = await fleet.replica([payTool(keys, undefined, { metadata })], pays(ANN))
    expect(await second.run(task_id)).toMatchObject({ status: 'success', output: 'paid' })
    expect(keys).toEqual([keys[0], keys[0]])
  })

  test.each([['the deadline ended the run', { RUN_TIMEOUT_SEC: '5', ANSWER_BY_SEC: '5' }, 'timeout']])(
    '%s during the call: sent again, the task ends with the error',
    async (_name, env, status) => {
      const fleet = new Fleet()
      const keys: string[] = []
      const { work } = hangingWork()
      const only = await fleet.replica([payTool(keys, work)], pays(ANN), env)
      const task_id = randomUUID()
      expect(await only.run(task_id)).toMatchObject({ status })
      expect(only.lines('effect unknown')).toMatchObject([{ tool: 'pay', key: keys[0] }])
      expect(await only.run(task_id)).toMatchObject({
        status: 'error',
        error: expect.stringMatching(UNKNOWN),
      })
      expect(keys).toHaveLength(1)
    },
  )

  // EVIDENCE-OF docs/reference/tool-rules.md: A `ToolError` after which nobody knows whether the call had its effect
  test('the tool cannot tell the outcome: the same call is refused, and a failed run is remembered', async () => {
    const fleet = new Fleet()
    const keys: string[] = []
    const work = () => {
      throw new UnknownOutcome('the bank broke off')
    }
    const only = await fleet.replica([payTool(keys, work)], ({ messages }) =>
      messages.filter(({ type }) => type === 'tool').length < 2
        ? { toolCalls: [{ name: 'pay', args: ANN }], usage }
        : new Error('the model broke'),
    )
    const task_id = randomUUID()
    expect(await only.run(task_id)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('model'),
    })
    expect(await only.run(task_id)).toMatchObject({ status: 'error', error: expect.stringMatching(UNKNOWN) })
    expect(keys).toHaveLength(1)
  })
})

// EVIDENCE-OF docs/reference/fleet.md: A task that is taken over, or sent again because it ended with `error` or `timeout`,
//   makes no call again that had ended: the model gets its recorded result.
test('the loss is noticed only after an hour: nothing is done again', async () => {
  const { fleet, keys, task_id } = await lostDuring()
  await fleet.pass(3_600_000)
  const second = await fleet.replica([payTool(keys)], pays(ANN))
  expect(await second.run(task_id)).toMatchObject({
    status: 'error',
    error: expect.stringContaining(keys[0]!),
  })
  await fleet.end()
  const ended = await lostAfter([ANN], () => 'receipt 1')
  await ended.fleet.pass(3_600_000)
  const third = await ended.fleet.replica([payTool(ended.keys)], pays(ANN))
  expect(await third.run(ended.task_id)).toMatchObject({ status: 'success', output: 'receipt 1' })
  expect(ended.keys).toHaveLength(1)
})

test('calls in other words in one turn are all told what was done, and none is made before the model has read it', async () => {
  const { fleet, keys, task_id } = await lostAfter([ANN, BOB], key => `receipt ${key}`)
  const again = [
    { to: 'Ann Smith', amount: 5 },
    { to: 'Bob Jones', amount: 7 },
  ]
  const second = await fleet.replica([payTool(keys)], ({ messages }) => {
    const results = messages.filter(({ type }) => type === 'tool').map(({ text }) => text)
    if (results.length > 0) return { text: results.join(' | '), usage }
    return { toolCalls: again.map(args => ({ name: 'pay', args })), usage }
  })
  const { output } = await second.run(task_id)
  expect(output.match(/not run yet/g)).toHaveLength(2)
  expect(keys).toHaveLength(2)
})

test.each([
  ['given again', ANN],
  ['told', BOB],
])('a result from the web that is %s counts as reading the web', async (_how, args) => {
  const metadata = { readOnlyHint: false, openWorldHint: true }
  const { fleet, keys, task_id } = await lostAfter([ANN], () => 'a page', {}, { metadata })
  const sent: string[] = []
  const send = payTool(sent, () => 'sent', { name: 'send' })
  const second = await fleet.replica([payTool(keys, undefined, { metadata }), send], ({ messages }) => {
    const results = messages.filter(({ type }) => type === 'tool').map(({ text }) => text)
    if (results.length === 0) return { toolCalls: [{ name: 'pay', args }], usage }
    if (results.length === 1) return { toolCalls: [{ name: 'send', args: ANN }], usage }
    return { text: results.at(-1)!, usage }
  })
  expect(await second.run(task_id)).toMatchObject({
    output: expect.stringContaining('this run has read the web'),
  })
  expect(sent).toEqual([])
})

describe.each<Record<string, string>>([{ REDIS_URL: '' }, {}])('without a record too: %j', env => {
  // EVIDENCE-OF docs/reference/tool-rules.md: The same call has the same key if another replica makes it, or if it is made
  //   again because its outcome was unknown; otherwise each call has another.
  test.each<[of: string, more: Parameters<typeof payTool>[2]]>([
    ['a tool that may repeat', { metadata: { readOnlyHint: false, idempotentHint: true } }],
    ['one that says nothing', { metadata: { readOnlyHint: false, readOnlyHintAssumed: true } }],
    ['one whose lookup finds nothing', { lookup: async () => undefined }],
  ])('a call of %s, whose outcome was unknown, has the same key if it is made again', async (_of, more) => {
    const fleet = new Fleet()
    const keys: string[] = []
    const work = () => {
      throw new Error('the connection broke')
    }
    const only = await fleet.replica([payTool(keys, work, more)], pays(ANN, ANN), env)
    await only.run('test-1')
    expect(keys).toEqual([keys[0], keys[0]])
  })
})

test('what a tool returns is kept as far as it is data, and is never why a call fails', async () => {
  const circle: Record<string, unknown> = {}
  circle.itself = circle
  const message = new ToolMessage({ content: 'a message', tool_call_id: 'x' })
  const results: [returned: unknown, more: object, read: string][] = [
    [['text', circle], { responseFormat: 'content_and_artifact' }, 'Its result was not kept'],
    [['text', { at: new Date(0), nothing: undefined }], { responseFormat: 'content_and_artifact' }, 'text'],
    [['text', undefined], { responseFormat: 'content_and_artifact' }, 'text'],
    [{ a: 1 }, {}, '{"a":1}'],
    [message, {}, 'a message'],
  ]
  for (const [returned, more, read] of results) {
    const { fleet, keys, task_id, first } = await lostAfter([ANN], () => returned, {}, more)
    expect(first.lines('tool failed')).toEqual([])
    const second = await fleet.replica([payTool(keys, undefined, more)], pays(ANN))
    expect(await second.run(task_id)).toMatchObject({
      status: 'success',
      output: expect.stringContaining(read),
    })
    expect(keys).toHaveLength(1)
    await fleet.end()
  }
})

describe('a generator has not begun when it is returned', () => {
  test('it is done when it has ended', async () => {
    async function* pay() {
      yield 'paying'
      return 'receipt 1'
    }
    const { fleet, keys, task_id } = await lostAfter([ANN], () => pay())
    const second = await fleet.replica([payTool(keys)], pays(ANN))
    expect(await second.run(task_id)).toMatchObject({ status: 'success', output: 'receipt 1' })
    expect(keys).toHaveLength(1)
  })

  test('if it breaks off, the same call is refused', async () => {
    async function* pay() {
      yield 'paying'
      throw new Error('reset')
    }
    const fleet = new Fleet()
    const keys: string[] = []
    const only = await fleet.replica([payTool(keys, () => pay())], pays(ANN, ANN))
    expect(await only.run('test-1')).toMatchObject({
      output: expect.stringContaining('not run: pay was called'),
    })
    expect(keys).toHaveLength(1)
  })
})

test('Redis loses its data, and another replica does the task before the first has announced it again: a line says so', async () => {
  const fleet = new Fleet()
  const keys: string[] = []
  const { reached, script } = paysThenHangs(ANN)
  const gate = Promise.withResolvers<void>()
  const first = await fleet.replica([payTool(keys)], async request => {
    const hangs = request.messages.some(({ type }) => type === 'tool')
    if (!hangs) return await script(request)
    void script(request)
    await gate.promise
    return 'paid'
  })
  const second = await fleet.replica([payTool(keys)], pays(ANN))
  const task_id = randomUUID()
  const reply = first.service.run('Pay 5 to Ann', undefined, task_id)
  await fleet.after(reached)
  fleet.redis.flush()
  await second.run(task_id)
  gate.resolve()
  expect(await fleet.after(reply)).toMatchObject({ status: 'success' })
  expect(new Set(keys).size).toBe(2)
  expect(first.lines('effects may have happened twice')).toMatchObject([{ level: 'error', task_id }])
})

test('a lookup that answers null cannot tell', async () => {
  const { fleet, keys, task_id } = await lostDuring()
  const second = await fleet.replica([payTool(keys, undefined, { lookup: async () => null })], pays(ANN))
  expect(await second.run(task_id)).toMatchObject({
    status: 'error',
    error: expect.stringContaining(keys[0]!),
  })
})

// EVIDENCE-OF docs/configuration.md: | `JOURNAL` |
// EVIDENCE-OF docs/reference/fleet.md: `JOURNAL=off` keeps no results in Redis and refuses nothing while that is away;
//   a task whose tool with side effects had started then ends with `error` when it is taken over, unless a `lookup` finds
//   each call, and one that has failed runs anew.
test('JOURNAL=off: a run with effects that is taken over ends, even if they had ended', async () => {
  const off = { JOURNAL: 'off' }
  const { fleet, keys, task_id } = await lostAfter([ANN], undefined, off)
  const second = await fleet.replica([payTool(keys)], pays(ANN), off)
  for (let times = 0; times < 2; times += 1)
    expect(await second.run(task_id)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('outcome is unknown'),
    })
  expect(keys).toHaveLength(1)
  // A run that fails here is over: sent again, the task runs again.
  const failing = randomUUID()
  let requests = 0
  const third = await fleet.replica(
    [payTool(keys)],
    request => (++requests === 2 ? new Error('no') : pays(ANN)(request)),
    off,
  )
  expect(await third.run(failing)).toMatchObject({ status: 'error' })
  expect(await third.run(failing)).toMatchObject({ status: 'success' })
})

// EVIDENCE-OF docs/reference/fleet.md: A task that is taken over, or sent again because it ended with `error` or `timeout`,
//   makes no call again that had ended: the model gets its recorded result.
// EVIDENCE-OF docs/reference/tool-rules.md: The same call has the same key if another replica makes it, or if it is made
//   again because its outcome was unknown; otherwise each call has another.
test('a failed task that is sent again makes no call again; a test is a new run, with new keys', async () => {
  const fleet = new Fleet()
  const keys: string[] = []
  let requests = 0
  const only = await fleet.replica([payTool(keys)], request =>
    ++requests === 2 ? new Error('no') : pays(ANN)(request),
  )
  const task_id = randomUUID()
  expect(await only.run(task_id)).toMatchObject({ status: 'error' })
  expect(await only.run(task_id)).toMatchObject({ status: 'success' })
  expect(keys).toHaveLength(1)
  await only.run('test-1')
  await only.run('test-1')
  expect(new Set(keys).size).toBe(3)
  for (const key of keys) expect(key).toMatch(/^[\w-]{1,45}$/)
})

describe('while Redis is away', () => {
  // EVIDENCE-OF docs/reference/fleet.md: A tool of an MCP server that says nothing about side effects runs, unrecorded, with
  //   one warning.
  test('a tool that says it has side effects is refused, and one line says so', async () => {
    const fleet = new Fleet()
    const keys: string[] = []
    const only = await fleet.replica([payTool(keys)], pays(ANN))
    fleet.redis.isDown = true
    await fleet.pass(3_000)
    const task_id = randomUUID()
    const { output } = await only.run(task_id)
    expect(output).toContain('Error: the tool pay has side effects. They cannot be recorded now')
    expect(keys).toEqual([])
    expect(only.lines('effect refused')).toMatchObject([{ level: 'warn', task_id, tool: 'pay' }])
    // For this id no other replica could run the task.
    await only.run('test-1')
    expect(keys).toHaveLength(1)
  })

  // EVIDENCE-OF docs/reference/fleet.md: A tool of an MCP server that says nothing about side effects runs, unrecorded, with
  //   one warning.
  test('one whose server says nothing runs, with one warning', async () => {
    const fleet = new Fleet()
    const keys: string[] = []
    const metadata = { readOnlyHint: false, readOnlyHintAssumed: true }
    const only = await fleet.replica([payTool(keys, undefined, { metadata })], pays(ANN, BOB))
    fleet.redis.isDown = true
    await fleet.pass(3_000)
    expect(await only.run(randomUUID())).toMatchObject({ output: 'paid | paid' })
    expect(only.lines('a tool that may have side effects ran')).toMatchObject([
      { level: 'warn', tool: 'pay' },
    ])
  })

  test('a call that was refused is no unknown one, and can be made once Redis is back', async () => {
    const fleet = new Fleet()
    const keys: string[] = []
    const only = await fleet.replica([payTool(keys)], async request => {
      const reply = pays(ANN, ANN)(request)
      if (request.messages.some(({ type }) => type === 'tool')) {
        fleet.redis.isDown = false
        await new Promise(resolve => setTimeout(resolve, 4_000))
      }
      return reply
    })
    fleet.redis.isDown = true
    await fleet.pass(3_000)
    const { output } = await only.run(randomUUID())
    expect(output).toMatch(/cannot be recorded now.*\| paid$/)
    expect(only.lines('effect unknown')).toEqual([])
  })
})
