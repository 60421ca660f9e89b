import { freePort } from '@agent-task-service/test-support/free-port'
import { fails, hangs, json, says, streams } from '@agent-task-service/test-support/openai-replies'
import {
  fallbackTo,
  type ModelRequest,
  openAIServer,
  type Reply,
} from '@agent-task-service/test-support/openai-server'
import { testService } from '@agent-task-service/test-support/service'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Breaker } from '../../model/breaker.ts'

const taskOf = ({ body }: ModelRequest) =>
  String(body.messages.findLast(({ role }) => role === 'user')?.content)

/** Moves the clock of the breakers, and of runs that begin later. */
function clock() {
  const real = performance.now.bind(performance)
  let ahead = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => real() + ahead)
  onTestFinished(() => spy.mockRestore())
  return { advance: (ms: number) => (ahead += ms) }
}

/** A service whose first model answers by the task, and whose second answers "From the second." */
async function pair(reply: (task: string) => Reply, env: Record<string, string> = {}) {
  const first = await openAIServer(request => reply(taskOf(request)))
  const second = await openAIServer(request =>
    taskOf(request) === 'fail everywhere' ? fails(400) : says('From the second.'),
  )
  const service = await testService({
    ...first.env,
    LOG_ERRORS: 'brief',
    ...fallbackTo(second),
    ...env,
  })
  return { ...service, first, second }
}

test('after three losses in a row, one call in five seconds is admitted until one succeeds', () => {
  let now = 1000
  const breaker = new Breaker(() => now)
  const admitted = () => [breaker.admits(), breaker.admits()]
  breaker.recordFailure()
  breaker.recordFailure()
  expect(admitted()).toEqual([true, true])
  breaker.recordSuccess()
  breaker.recordFailure()
  breaker.recordFailure()
  expect(admitted()).toEqual([true, true])
  breaker.recordFailure()
  expect(admitted()).toEqual([false, false])
  now += 4_999
  // A loss of a run that began before does not put the probe off.
  breaker.recordFailure()
  expect(admitted()).toEqual([false, false])
  now += 1
  expect(admitted()).toEqual([true, false])
  // The probe may end without showing anything, such as by a hang-up.
  now += 5_000
  expect(admitted()).toEqual([true, false])
  breaker.recordSuccess()
  expect(admitted()).toEqual([true, true])
})

test.each([
  { title: 'HTTP 500', reply: fails(500, undefined, { 'retry-after': '0' }) },
  { title: 'HTTP 503 for long', reply: fails(503, undefined, { 'retry-after': '600' }) },
  { title: 'HTTP 403', reply: fails(403) },
  { title: 'a refusal', reply: fails(400) },
  {
    title: 'a refusal that quotes the task',
    reply: json({ error: 'you wrote: incorrect API key, insufficient_quota' }, 400),
  },
  {
    title: 'credit for fewer tokens',
    reply: json({ error: 'requires more credits, or fewer max_tokens' }, 402),
  },
  { title: 'silence to the deadline', reply: hangs },
])('$title, met by three tasks, changes nothing for the next', async ({ reply }) => {
  const env = { RUN_TIMEOUT_SEC: '3', MODEL_PATIENCE_SEC: '0.5' }
  const replyTo = (task: string) => (task === 'bad' ? reply : says('Here.'))
  const alone = await openAIServer(request => replyTo(taskOf(request)))
  const { run } = await testService({ ...alone.env, LOG_ERRORS: 'brief', ...env })
  const bad = await Promise.all(['test-1', 'test-2', 'test-3'].map(id => run('bad', {}, id)))
  for (const reply of bad) expect(reply).not.toMatchObject({ status: 'success' })
  expect(await run('good', {}, 'test-4')).toMatchObject({ status: 'success', output: 'Here.' })
  if (reply === hangs) return
  const { run: runWithFallback } = await pair(replyTo, env)
  for (const id of ['test-1', 'test-2', 'test-3']) await runWithFallback('bad', {}, id)
  expect(await runWithFallback('good', {}, 'test-4')).toMatchObject({ output: 'Here.' })
})

test.each([
  { title: 'a refused key', reply: fails(401), tries: 1 },
  { title: 'a spent quota', reply: fails(429, 'insufficient_quota'), tries: 1 },
  { title: 'an unknown model', reply: fails(404, 'model_not_found'), tries: 1 },
  { title: 'silence', reply: hangs, tries: 1 },
])(
  '$title, met by three runs: the fallback is asked first, and one run in five seconds probes',
  async ({ reply }) => {
    const time = clock()
    let isBack = false
    const { run, lines, first } = await pair(() => (isBack ? says('Back.') : reply), {
      MODEL_PATIENCE_SEC: '0.2',
    })
    for (let n = 1; n <= 5; n += 1) {
      expect(await run('Hello', {}, `test-${n}`)).toMatchObject({ output: 'From the second.' })
      expect(first.requests).toHaveLength(Math.min(n, 3))
    }
    expect(
      lines
        .filter(({ msg }) => msg === 'model given up')
        .map(({ reason }) => reason)
        .slice(3),
    ).toEqual(['breaker_open', 'breaker_open'])
    time.advance(5_000)
    await run('Hello', {}, 'test-6')
    await run('Hello', {}, 'test-7')
    expect(first.requests).toHaveLength(4)
    isBack = true
    time.advance(5_000)
    expect(await run('Hello', {}, 'test-8')).toMatchObject({ output: 'Back.' })
    expect(await run('Hello', {}, 'test-9')).toMatchObject({ output: 'Back.' })
  },
)

test('no connection, met by three runs: the fallback is asked first', async () => {
  const OPENAI_BASE_URL = `http://127.0.0.1:${await freePort()}/v1`
  const { run, lines } = await pair(() => says('Never.'), { OPENAI_BASE_URL })
  const runs = ['test-1', 'test-2', 'test-3'].map(id => run('Hello', {}, id))
  for (const reply of await Promise.all(runs)) expect(reply).toMatchObject({ output: 'From the second.' })
  await run('Hello', {}, 'test-4')
  expect(lines.findLast(({ msg }) => msg === 'model given up')).toMatchObject({ reason: 'breaker_open' })
})

test('a model that still answers others is not silent', async () => {
  const { run, first } = await pair(task => (task === 'hard' ? hangs : streams(['Here', '.'], 'stop')), {
    MODEL_PATIENCE_SEC: '0.2',
  })
  for (const id of [1, 3, 5]) {
    await run('hard', {}, `test-${id}`)
    expect(await run('Hello', {}, `test-${id + 1}`)).toMatchObject({ output: 'Here.' })
  }
  expect(first.requests).toHaveLength(6)
})

test('if the fallback fails, a model with an open breaker is asked after all, and errors are of this run', async () => {
  let isBack = false
  const { run } = await pair(() => (isBack ? says('Back.') : fails(401)))
  for (const id of ['test-1', 'test-2', 'test-3']) await run('Hello', {}, id)
  expect(await run('fail everywhere', {}, 'test-4')).toMatchObject({
    status: 'error',
    error: 'the model provider answered HTTP 401',
  })
  isBack = true
  expect(await run('fail everywhere', {}, 'test-5')).toMatchObject({ output: 'Back.' })
})
