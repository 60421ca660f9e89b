import { listen } from '@agent-task-service/engine/server'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { testService, warmUp } from '@agent-task-service/test-support/service'
import { beforeAll, beforeEach, expect, test } from 'vitest'

let time: FakeTime

beforeAll(warmUp)
beforeEach(() => {
  time = fakeTime()
})

/** Lets this many seconds pass. */
const pass = (seconds: number) => time.pass(seconds * 1000)

const refusal = (status: number, message = 'Loading model') =>
  Object.assign(new Error(message), { status, headers: new Headers() })

/** A service whose model is out for this long. */
async function outFor(seconds: number, env: Record<string, string> = {}, error: Error = refusal(503)) {
  const backAt = performance.now() + seconds * 1000
  const model = new ScriptedModel(() => (performance.now() < backAt ? error : 'Here.'))
  const service = await testService({ LOG_ERRORS: 'brief', ...env }, { models: [model.named()] })
  const ask = (number: number, signal: AbortSignal | null = null) => {
    const task: { reply?: Record<string, unknown> } = {}
    const body = JSON.stringify({ task_id: `test-${number}`, input: 'Say something' })
    const headers = { 'content-type': 'application/json' }
    const posted = service.app.request('/run', { method: 'POST', headers, body, signal })
    void Promise.resolve(posted).then(async response => {
      task.reply = (await response.json()) as Record<string, unknown>
    })
    return task
  }
  return { service, model, ask }
}

const ANSWERED = { status: 'success', output: 'Here.', metrics: { steps: 1 } }
const FAILED = { status: 'error', error: 'the model provider answered HTTP 503' }

test('a model that loads for 8 s answers all that wait, and one of them asks meanwhile', async () => {
  const { model, ask } = await outFor(8)
  const tasks = [1, 2, 3, 4, 5].map(number => ask(number))
  await pass(7.9)
  expect(model.requests.length).toBeGreaterThanOrEqual(5 + 3)
  expect(model.requests.length).toBeLessThanOrEqual(5 + 4)
  await pass(5)
  expect(tasks).toMatchObject(tasks.map(() => ({ reply: ANSWERED })))
})

test.each([
  { answerBy: '10', timeout: '30' },
  // Without a soft deadline a fifth of the time is left.
  { answerBy: '25', timeout: '12.5' },
])('a model that stays out: after $answerBy s of $timeout each run says why', async limits => {
  const env = { ANSWER_BY_SEC: limits.answerBy, RUN_TIMEOUT_SEC: limits.timeout }
  const { model, ask } = await outFor(60, env)
  const tasks = [ask(1), ask(2)]
  await pass(3)
  tasks.push(ask(3))
  await pass(6.5)
  expect(tasks).toEqual([{}, {}, {}])
  await pass(0.7)
  expect(tasks).toMatchObject([{ reply: FAILED }, { reply: FAILED }, {}])
  // The third takes over what the first has done, to its own deadline.
  const asked = model.requests.length
  await pass(3.2)
  expect(tasks[2]).toMatchObject({ reply: FAILED })
  expect(model.requests.length).toBeGreaterThan(asked)
  const { length } = model.requests
  await pass(30)
  expect(model.requests).toHaveLength(length)
})

test('a caller that hangs up ends its wait, and the next run asks in its place', async () => {
  const { model, ask } = await outFor(8)
  const caller = new AbortController()
  const first = ask(1, caller.signal)
  await pass(0)
  const second = ask(2)
  await pass(2)
  caller.abort()
  await pass(0)
  expect(first).toMatchObject({ reply: { error: 'the caller hung up' } })
  const asked = model.requests.length
  await pass(10)
  expect(second).toMatchObject({ reply: ANSWERED })
  expect(model.requests.length).toBeGreaterThan(asked)
})

test('runs stop waiting when others wait for their slots', async () => {
  const { ask } = await outFor(60, { MAX_CONCURRENT_RUNS: '1' })
  const first = ask(1)
  await pass(6)
  expect(first).toEqual({})
  const second = ask(2)
  await pass(0)
  expect(first).toMatchObject({ reply: FAILED })
  // Nobody waits for the second one's slot, so it may take its time.
  await pass(6)
  expect(second).toEqual({})
  await pass(30)
  expect(second).toMatchObject({ reply: FAILED })
})

test('runs stop waiting when the service is about to end', async () => {
  const { service, ask } = await outFor(60)
  const { drain } = await listen(service, { port: 0, hostname: '127.0.0.1' })
  const task = ask(1)
  await pass(6)
  const drained = drain(60_000)
  await pass(0)
  expect(task).toMatchObject({ reply: FAILED })
  await drained
})

const failed = (code: string) => Object.assign(new TypeError('fetch failed'), { cause: coded(code) })
const coded = (code: string) => Object.assign(new Error(`connect ${code}`), { code })

test.each([
  { title: '503', error: refusal(503), isWaitedFor: true },
  { title: '502', error: refusal(502), isWaitedFor: true },
  { title: '529', error: refusal(529), isWaitedFor: true },
  { title: '429', error: refusal(429), isWaitedFor: true },
  { title: 'a refused connection', error: failed('ECONNREFUSED'), isWaitedFor: true },
  { title: '500', error: refusal(500), isWaitedFor: false },
  { title: 'a lost connection', error: failed('ECONNRESET'), isWaitedFor: false },
  { title: 'a name that does not resolve', error: failed('ENOTFOUND'), isWaitedFor: false },
  { title: 'no free descriptor', error: failed('EMFILE'), isWaitedFor: true },
  { title: 'a resolver that is away', error: failed('EAI_AGAIN'), isWaitedFor: false },
  { title: '401', error: refusal(401), isWaitedFor: false },
  { title: 'a spent quota', error: refusal(429, 'insufficient_quota'), isWaitedFor: false },
])('$title: waited for until the soft deadline: $isWaitedFor', async ({ error, isWaitedFor }) => {
  const { ask } = await outFor(60, { ANSWER_BY_SEC: '10' }, error)
  const task = ask(1)
  await pass(9)
  expect(task.reply === undefined).toBe(isWaitedFor)
  await pass(2)
  expect(task).toMatchObject({ reply: { status: 'error' } })
})
