import { createService } from '@agent-task-service/engine/service'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { readConfig } from '@agent-task-service/test-support/read-config'
import { testService } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { healthResponse, type RunResponse, runResponse } from '@agent-task-service/wire/contract'
import { expect, test } from 'vitest'
import { runError } from './contract-cases/contract-case.ts'

const FULL = 'the agent is at capacity; retry later'
const DRAINING = 'the agent is shutting down and accepts no new tasks'
const usage = { input: 3, output: 2 }
const task = (number: number) => ({ task_id: `test-${number}`, input: 'hello' })

async function gatedService(env: Record<string, string>) {
  const gate = Promise.withResolvers<void>()
  const model = new ScriptedModel(() => ({ text: 'done', usage, after: gate.promise }))
  const service = await testService(env, { models: [model.named()] })
  return { ...service, model, gate }
}

async function expectUnavailable(response: Response, error: string, retryAfter: string): Promise<void> {
  expect(response.status).toBe(503)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('retry-after')).toBe(retryAfter)
  const body = await response.json()
  expect(body).toEqual(runError(error))
  expect(runResponse.parse(body)).toEqual(body)
}

// EVIDENCE-OF docs/configuration.md: | `MAX_CONCURRENT_RUNS` |
// EVIDENCE-OF docs/guides/deployment.md: A full replica answers 503 with `Retry-After: 1` and stays healthy.
// EVIDENCE-OF docs/reference/threat-model.md: A limit of runs and a short queue, then 503.
// EVIDENCE-OF docs/reference/threat-model.md: To stay available during a restart, run a second replica.
test('full: 503 at once, health stays ok, and there is room again afterwards', async () => {
  const { app, post, model, gate } = await gatedService({ MAX_CONCURRENT_RUNS: '1', MAX_QUEUED_RUNS: '0' })
  const first = post(task(1))
  await model.asked(1)

  await expectUnavailable(await post(task(2)), FULL, '1')
  const health = await app.request('/health')
  expect([health.status, await health.json()]).toMatchObject([200, { status: 'ok' }])
  const invalid = await post({ task_id: 'test-3' })
  expect(invalid.status).toBe(200)

  gate.resolve()
  expect(await (await first).json()).toMatchObject({ task_id: 'test-1', status: 'success', output: 'done' })
  expect(await (await post(task(4))).json()).toMatchObject({ task_id: 'test-4', status: 'success' })
  expect(model.requests.length).toBe(2)
})

// EVIDENCE-OF docs/configuration.md: | `MAX_QUEUED_RUNS` |
// EVIDENCE-OF docs/reference/errors.md: the agent is at capacity; retry later
// EVIDENCE-OF docs/reference/threat-model.md: A limit of runs and a short queue, then 503.
// EVIDENCE-OF docs/reference/threat-model.md: Availability is limited, not promised.
test('a queue: it fills up, then 503', async () => {
  const { post, model, gate, tasks } = await gatedService({ MAX_CONCURRENT_RUNS: '1', MAX_QUEUED_RUNS: '2' })
  const taken = [post(task(1)), post(task(2)), post(task(3))]
  await until(() => tasks.inFlight === 3)
  await expectUnavailable(await post(task(4)), FULL, '1')
  expect(model.requests.length).toBe(1)
  gate.resolve()
  const replies = await Promise.all(taken.map(async reply => runResponse.parse(await (await reply).json())))
  expect(replies.map(({ task_id, status }) => [task_id, status])).toEqual([
    ['test-1', 'success'],
    ['test-2', 'success'],
    ['test-3', 'success'],
  ])
})

test('a run that nobody waits for, and one that fails, leave their place to the next', async () => {
  const hangs = { text: '', after: new Promise<void>(() => {}) }
  const model = new ScriptedModel([hangs, { error: new Error('no') }, 'done'])
  const env = { MAX_CONCURRENT_RUNS: '1', MAX_QUEUED_RUNS: '0' }
  const { app, post } = await testService(env, { models: [model.named()] })
  const send = async (signal: AbortSignal) => {
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(task(1)), signal }
    return await (await app.request('/run', init)).json()
  }
  const hungUp = { status: 'error', error: 'the caller hung up' }
  const caller = new AbortController()
  const reply = send(caller.signal)
  await model.asked(1)
  caller.abort()
  expect(await reply).toMatchObject(hungUp)
  // The model is not asked.
  expect(await send(AbortSignal.abort())).toMatchObject(hungUp)
  expect(await (await post(task(2))).json()).toMatchObject({
    status: 'error',
    error: 'the model call failed',
  })
  expect(await (await post(task(3))).json()).toMatchObject({ status: 'success', output: 'done' })
})

// EVIDENCE-OF docs/reference/image.md: `GET /health`: 200 while it accepts tasks, 503 while it drains; the image's
//   `HEALTHCHECK` calls it every 30 s
// EVIDENCE-OF docs/reference/errors.md: the agent is shutting down and accepts no new tasks
test('draining: refuses new tasks, health says so, and runs in flight finish', async () => {
  const { app, post, model, gate, lifecycle } = await gatedService({})
  const first = post(task(1))
  await model.asked(1)
  lifecycle.draining = true

  await expectUnavailable(await post(task(2)), DRAINING, '5')
  await expectUnavailable(await post('not JSON', { 'content-type': 'text/plain' }), DRAINING, '5')
  const health = await app.request('/health')
  const body = await health.json()
  expect(health.status).toBe(503)
  expect(body).toEqual({ status: 'draining', agent_id: 'agent-1', agent_name: 'Agent Task Service' })
  expect(healthResponse.parse(body)).toEqual(body)
  expect((await app.request('/health', { method: 'HEAD' })).status).toBe(503)

  gate.resolve()
  expect(await (await first).json()).toMatchObject({ task_id: 'test-1', status: 'success' })
})

// EVIDENCE-OF docs/reference/errors.md: | `internal` |
test('an internal defect: 500 without details, in the run shape', async () => {
  const lines: string[] = []
  const models = async () => [new ScriptedModel(['done']).named()]
  const { app } = await createService({ ...agent, models }, readConfig({}), {
    write(line) {
      if (line.includes('"msg":"run"')) throw new TypeError('inner secret')
      lines.push(line)
    },
  })
  const headers = { 'content-type': 'application/json' }
  const response = await app.request('/run', { method: 'POST', headers, body: JSON.stringify(task(1)) })
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual(runError('the agent service failed'))
  expect(lines.map(line => JSON.parse(line))).toMatchObject([{ level: 'error', err: { name: 'TypeError' } }])
  expect(lines.join()).not.toContain('inner secret')
})

test('ERROR_METRICS=filled: an invalid request has used nothing, and its metrics stay empty', async () => {
  const models = [new ScriptedModel([]).named()]
  const { post } = await testService({ ERROR_METRICS: 'filled' }, { models })
  expect(await (await post({ task_id: 'test-1' })).json()).toMatchObject({ status: 'error', metrics: {} })
})

/** The reply's body, checked to be a timeout. */
async function readTimeout(response: Response): Promise<Extract<RunResponse, { status: 'timeout' }>> {
  expect(response.status).toBe(200)
  const body = await response.json()
  expect(Object.keys(body as object)).toEqual(['task_id', 'status', 'output', 'metrics', 'error'])
  const parsed = runResponse.parse(body)
  expect(parsed).toEqual(body)
  if (parsed.status !== 'timeout') throw new Error(`expected a timeout, got ${parsed.status}`)
  return parsed
}

// EVIDENCE-OF docs/reference/errors.md: A run that failed or timed out gets status 200 and says so in `status`. 4xx and 5xx mean
//   infrastructure: the request never became a run.
// EVIDENCE-OF docs/reference/errors.md: The agent was told to stop and could wait no longer; `output` has the text so far
test('a run ended by shutdown: 200, timeout, the text so far and its usage', async () => {
  const streamed = Promise.withResolvers<void>()
  const after = () => {
    streamed.resolve()
    return new Promise(() => {})
  }
  const model = new ScriptedModel([{ pieces: ['so ', 'far'], after }])
  const { post, tasks, lines } = await testService({}, { models: [model.named()] })
  const reply = post(task(1))
  await streamed.promise
  tasks.endAll()
  const body = await readTimeout(await reply)
  expect(body).toMatchObject({
    task_id: 'test-1',
    output: 'so far',
    metrics: { output_tokens: 2, steps: 1 },
    error: 'the agent is shutting down',
  })
  expect(body.metrics.input_tokens).toBeGreaterThan(0)
  expect(lines.at(-1)).toMatchObject({ msg: 'run', status: 'timeout', stop: 'shutdown' })
})
