import { ScriptedModel, type ScriptedReply } from '@agent-task-service/engine/testing'
import { some } from '@agent-task-service/test-support/at-length'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { fails, hangs, json, says, streams } from '@agent-task-service/test-support/openai-replies'
import {
  fallbackTo,
  type ModelRequest,
  openAIServer,
  type Reply,
} from '@agent-task-service/test-support/openai-server'
import { testService, warmUp } from '@agent-task-service/test-support/service'
import { beforeAll, beforeEach, expect, test } from 'vitest'

const taskOf = ({ body }: ModelRequest) =>
  String(body.messages.findLast(({ role }) => role === 'user')?.content)

let time: FakeTime

beforeAll(warmUp)
beforeEach(() => {
  time = fakeTime()
})

/** A service whose first model answers by the task, and whose second answers "From the second." */
async function pair(reply: (task: string) => Reply, env: Record<string, string> = {}) {
  const first = await openAIServer(request => reply(taskOf(request)))
  const second = await openAIServer(request =>
    taskOf(request).endsWith('fail everywhere') ? fails(400) : says('From the second.'),
  )
  const service = await serve({ ...first.env, ...fallbackTo(second), ...env })
  return { ...service, first }
}

async function serve(env: Record<string, string>) {
  const service = await testService({ LOG_ERRORS: 'brief', ...env })
  const run = (task: string, id: number) => time.until(service.run(task, {}, `test-${id}`))
  return { ...service, run }
}

test('after three losses in a row, one call in five seconds is admitted until one succeeds', async () => {
  const refused = (status: number) => Object.assign(new Error('no'), { status })
  const [lost, unclear] = [refused(401), refused(400)]
  let reply: ScriptedReply
  const model = new ScriptedModel(() => reply)
  const models = [model.named('first'), new ScriptedModel(() => 'From the second.').named('second')]
  const service = await testService({ LOG_ERRORS: 'brief' }, { models, tools: [] })
  let runs = 0
  /** A run whose first model replies with this. @returns whether it was asked */
  const meets = async (next: ScriptedReply) => {
    reply = next
    const before = model.requests.length
    await service.run('Hello', {}, `test-${++runs}`)
    return model.requests.length > before
  }
  // What shows nothing changes nothing.
  const admitted = async () => [await meets(unclear), await meets(unclear)]
  await meets(lost)
  await meets(lost)
  expect(await admitted()).toEqual([true, true])
  await meets('Here.')
  await meets(lost)
  await meets(lost)
  expect(await admitted()).toEqual([true, true])
  const gate = Promise.withResolvers<void>()
  const late = meets({ after: gate.promise, error: lost })
  await model.asked(model.requests.length + 1)
  await meets(lost)
  expect(await admitted()).toEqual([false, false])
  await time.pass(4_999)
  // A loss of a run that began before does not put the probe off.
  gate.resolve()
  await late
  expect(await admitted()).toEqual([false, false])
  await time.pass(1)
  expect(await admitted()).toEqual([true, false])
  await time.pass(5_000)
  expect(await admitted()).toEqual([true, false])
  await time.pass(5_000)
  expect(await meets('Here.')).toBe(true)
  expect(await admitted()).toEqual([true, true])
})

// EVIDENCE-OF docs/reference/threat-model.md: Three silent tasks at once, with no other traffic, put a model behind its fallback until a
//   probe succeeds
test.each(
  some(
    [
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
    ],
    7,
  ),
)('$title, met by three tasks, changes nothing for the next', async ({ reply }) => {
  const replyTo = (task: string) => (task.includes('bad') ? reply : says('Here.'))
  const alone = await openAIServer(request => replyTo(taskOf(request)))
  const { run } = await serve(alone.env)
  const bad = await Promise.all([1, 2, 3].map(id => run('bad', id)))
  for (const reply of bad) expect(reply).not.toMatchObject({ status: 'success' })
  expect(await run('good', 4)).toMatchObject({ status: 'success', output: 'Here.' })
  if (reply === hangs) return
  const { run: runWithFallback } = await pair(replyTo)
  for (const id of [1, 2, 3]) await runWithFallback('bad', id)
  expect(await runWithFallback('good', 4)).toMatchObject({ output: 'Here.' })
})

// EVIDENCE-OF docs/reference/threat-model.md: Three silent tasks at once, with no other traffic, put a model behind its fallback until a
//   probe succeeds
test.each(
  some(
    [
      { title: 'a refused key', reply: fails(401), tries: 1 },
      { title: 'a spent quota', reply: fails(429, 'insufficient_quota'), tries: 1 },
      { title: 'an unknown model', reply: fails(404, 'model_not_found'), tries: 1 },
      { title: 'silence', reply: hangs, tries: 1 },
    ],
    4,
  ),
)(
  '$title, met by three runs: the fallback is asked first, and one run in five seconds probes',
  async ({ reply }) => {
    let isBack = false
    const { run, lines, first } = await pair(() => (isBack ? says('Back.') : reply), {
      MODEL_PATIENCE_SEC: '2',
    })
    for (let n = 1; n <= 5; n += 1) {
      expect(await run('Hello', n)).toMatchObject({ output: 'From the second.' })
      expect(first.requests).toHaveLength(Math.min(n, 3))
    }
    expect(
      lines
        .filter(({ msg }) => msg === 'model given up')
        .map(({ reason }) => reason)
        .slice(3),
    ).toEqual(['breaker_open', 'breaker_open'])
    await time.pass(5_000)
    await run('Hello', 6)
    await run('Hello', 7)
    expect(first.requests).toHaveLength(4)
    isBack = true
    await time.pass(5_000)
    expect(await run('Hello', 8)).toMatchObject({ output: 'Back.' })
    expect(await run('Hello', 9)).toMatchObject({ output: 'Back.' })
  },
)

test('no connection, met by three runs: the fallback is asked first', async () => {
  // Nobody listens there.
  const OPENAI_BASE_URL = 'http://127.0.0.1:2/v1'
  const { run, lines } = await pair(() => says('Never.'), { OPENAI_BASE_URL })
  const runs = [1, 2, 3].map(id => run('Hello', id))
  for (const reply of await Promise.all(runs)) expect(reply).toMatchObject({ output: 'From the second.' })
  await run('Hello', 4)
  expect(lines.findLast(({ msg }) => msg === 'model given up')).toMatchObject({ reason: 'breaker_open' })
})

// EVIDENCE-OF docs/reference/threat-model.md: Three silent tasks at once, with no other traffic, put a model behind its fallback until a
//   probe succeeds
test('a model that still answers others is not silent', async () => {
  const { run, first } = await pair(task => (task === 'hard' ? hangs : streams(['Here', '.'], 'stop')), {
    MODEL_PATIENCE_SEC: '2',
  })
  for (const id of [1, 3, 5]) {
    await run('hard', id)
    expect(await run('Hello', id + 1)).toMatchObject({ output: 'Here.' })
  }
  expect(first.requests).toHaveLength(6)
})

// EVIDENCE-OF docs/reference/threat-model.md: Only what every request would meet counts against a model, the last one is
//   always asked, and what a refusal teaches holds for all runs only after a call made with it succeeded, for ten minutes
test('if the fallback fails, a model with an open breaker is asked after all, and errors are of this run', async () => {
  let isBack = false
  const { run } = await pair(() => (isBack ? says('Back.') : fails(401)))
  for (const id of [1, 2, 3]) await run('Hello', id)
  expect(await run('fail everywhere', 4)).toMatchObject({
    status: 'error',
    error: 'the model provider answered HTTP 401',
  })
  isBack = true
  expect(await run('fail everywhere', 5)).toMatchObject({ output: 'Back.' })
})
