import type { ServerResponse } from 'node:http'
import type { AgentView, RunRecord } from '@agent-task-service/rehearsal/api'
import { seedsOf } from '@agent-task-service/test-support/at-length'
import { Random } from '@agent-task-service/test-support/random'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { expect, test } from 'vitest'
import { errorIn, task, testPlatform } from '../platform.ts'
import { latest } from '../records.ts'
import { stubReplicas } from '../stub-replicas.ts'

const STREAM = { headers: { accept: 'text/event-stream' } }
const HEAD = { 'Content-Type': 'text/event-stream' }

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ v: 1, ...data })}\n\n`
}

/** A whole stream of some steps, event by event. */
function streamOf(steps: number): string[] {
  const each = Array.from({ length: steps }, (_, index) => {
    const step = index + 1
    const [at, model] = [index / 10, 'ä "model"']
    return [
      event('model_started', { at, step, model, attempt: 1 }),
      event('text', { at, step, text: `piece of ${step}` }),
      event('model_finished', { at, step, model, input_tokens: 10, output_tokens: 2, tool_calls: [] }),
    ]
  })
  const last = event('run_finished', { at: 1, cost_usd: 0.5, response: success('test-1', 'the answer') })
  return [event('run_started', { at: 0, task_id: 'test-1' }), ...each.flat(), last]
}

const typesIn = (events: readonly string[]) => events.map(text => /^event: (\w+)/.exec(text)![1]!)

interface Drawn {
  readonly replicas: number
  /** Whole, of the stream. */
  readonly events: readonly string[]
  /** After how many bytes of it each replica is lost, in turn; -1: before its reply. */
  readonly cuts: readonly number[]
  readonly isStream: boolean
}

function drawn(seed: number): Drawn {
  const random = new Random(seed)
  const events = streamOf(random.whole(1, 5))
  const bytes = Buffer.byteLength(events.join(''))
  const cuts = Array.from({ length: random.whole(0, 3) }, () => random.whole(-1, bytes - 1))
  return { replicas: random.whole(1, 4), events, cuts, isStream: random.happens(0.7) }
}

// EVIDENCE-OF docs/guides/staging.md: A run whose replica ends before its reply goes to another one, as the same request
test.each(seedsOf(300, 30))('lost at any byte, a run goes on at another replica: seed %i', async seed => {
  const { replicas, events, cuts, isStream } = drawn(seed)
  const { agent, requests } = await stubReplicas(replicas, (response, nth, replica) => {
    const cut = cuts[nth]
    const whole = isStream ? events.join('') : JSON.stringify(success('test-1', 'the answer'))
    if (cut !== -1) response.writeHead(200, isStream ? HEAD : { 'Content-Type': 'application/json' })
    if (cut === undefined) response.end(whole)
    else if (cut === -1) void replica.kill()
    else response.write(Buffer.from(whole).subarray(0, cut), () => void replica.kill())
  })
  const platform = testPlatform({ agents: [agent] })
  const response = await platform.run(task(), isStream ? STREAM : {})
  const told = await response.text()
  expect(response.status).toBe(200)
  expect(requests.map(({ body }) => body.toString())).toEqual(
    Array(cuts.length + 1).fill(JSON.stringify(task())),
  )

  const record = await latest(platform)
  expect(record).toMatchObject({ status: 'success', broken: [], output: 'the answer' })
  const lost = record.events.filter(({ type }) => type === 'replica_lost')
  expect(lost.map(({ data: { replica, next } }) => [replica, next])).toEqual(
    cuts.map((_, nth) => [(nth % replicas) + 1, ((nth + 1) % replicas) + 1]),
  )
  for (const { data } of lost) expect(Number(data.next_at)).toBeGreaterThanOrEqual(Number(data.at))
  if (!isStream) return expect(record.events).toEqual(lost)

  const at = record.events.flatMap(({ type }, index) => (type === 'replica_lost' ? [index] : []))
  const parts = [...at, record.events.length].map((end, nth) =>
    record.events.slice(nth === 0 ? 0 : at[nth - 1]! + 1, end).map(({ type }) => type),
  )
  expect(parts.pop()).toEqual(typesIn(events))
  for (const [nth, part] of parts.entries()) {
    const [whole] = [events.join('')]
    const arrived = Buffer.from(whole)
      .subarray(0, Math.max(0, cuts[nth]!))
      .toString()
      .split('\n\n')
      .slice(0, -1)
    // What was sent last may be lost with its connection, but nothing is there that was not whole.
    expect(typesIn(arrived).slice(0, part.length)).toEqual(part)
  }
  expect(told.endsWith(events.at(-1)!)).toBe(true)
  const heard = cuts.slice(cuts.findIndex(cut => cut >= 0))
  expect(told.split('event: replica_lost').length - 1).toBe(cuts.some(cut => cut >= 0) ? heard.length : 0)
})

test('a replica that hangs up and lives is told as any agent', async () => {
  const { agent, requests } = await stubReplicas(2, response => response.destroy())
  const platform = testPlatform({ agents: [agent] })
  expect((await platform.run(task())).status).toBe(502)
  expect(requests).toHaveLength(1)
  expect(await latest(platform)).toMatchObject({ status: 'violation', events: [] })
})

test('a replica that refuses the run which it gets ends the stream with its refusal', async () => {
  const refusal = { task_id: '', status: 'error', output: '', error: 'full', metrics: {} }
  const { agent } = await stubReplicas(2, (response, nth, replica) => {
    if (nth === 0) response.writeHead(200, HEAD).write(streamOf(1)[0], () => void replica.kill())
    else response.writeHead(503, { 'Content-Type': 'application/json' }).end(JSON.stringify(refusal))
  })
  const platform = testPlatform({ agents: [agent] })
  const told = await (await platform.run(task(), STREAM)).text()
  expect(told.split('\n\n').at(-2)).toBe(`event: staging_error\ndata: ${JSON.stringify(refusal)}`)
  expect(await latest(platform)).toMatchObject({ status: 'refused', agentStatus: 503 })
})

test('a run that is cancelled while no replica is there is cancelled', async () => {
  const { agent } = await stubReplicas(2, (_response, _nth, replica) => void replica.kill())
  const waited = Promise.withResolvers<void>()
  const replicas = {
    current: agent.replicas.current,
    after: () => {
      waited.resolve()
      return new Promise<undefined>(() => {})
    },
  }
  const platform = testPlatform({ agents: [{ id: 'agent-7', url: agent.url, replicas }] })
  const answer = platform.run(task())
  await waited.promise
  await platform.call('/api/runs/1/cancel', { method: 'POST' })
  expect((await answer).status).toBe(499)
  expect(await latest(platform)).toMatchObject({ status: 'cancelled' })
})

const stop = (platform: ReturnType<typeof testPlatform>, id: number, init: RequestInit = {}) =>
  platform.call(`/api/runs/${id}/stop-replica`, { method: 'POST', ...init })

test('the replica that runs a task can be stopped, again and again; nothing else can', async () => {
  const arrived = [0, 1, 2].map(() => Promise.withResolvers<{ number: number; response: ServerResponse }>())
  const { agent } = await stubReplicas(2, (response, nth, { number }) => {
    arrived[nth]!.resolve({ number, response })
  })
  const other = await scriptedAgent(() => {})
  const platform = testPlatform({ agents: [agent, { id: 'agent-8', url: other.url }] })
  const { agents } = await platform.get<{ agents: AgentView[] }>('/api/agents')
  expect(agents.map(({ hasReplicas }) => hasReplicas)).toEqual([true, false])

  const answer = platform.run(task())
  expect((await arrived[0]!.promise).number).toBe(1)
  const evil = { headers: { origin: 'http://evil.example' } }
  expect((await stop(platform, 1, evil)).status).toBe(403)
  expect((await platform.call('/api/runs/1/stop-replica')).status).toBe(404)
  const stopped = await stop(platform, 1)
  expect([stopped.status, ((await stopped.json()) as RunRecord).status]).toEqual([200, 'underway'])
  expect((await arrived[1]!.promise).number).toBe(2)
  await stop(platform, 1)
  const { number, response } = await arrived[2]!.promise
  expect(number).toBe(1)
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(success('test-1')))
  expect((await answer).status).toBe(200)

  expect((await stop(platform, 2)).status).toBe(404)
  const over = await stop(platform, 1)
  expect([over.status, await errorIn(over)]).toEqual([
    409,
    'run 1: expected one in progress on an agent with replicas (--replicas)',
  ])
  const arrival = other.arrival()
  void platform.call('/api/agents/agent-8/runs', { method: 'POST', body: JSON.stringify(task()) })
  await arrival
  expect((await stop(platform, 2)).status).toBe(409)
})

test('a replica that is stopped twice, as in two tabs, takes no other one with it', async () => {
  const arrived = [0, 1, 2].map(() => Promise.withResolvers<ServerResponse>())
  const { agent, requests } = await stubReplicas(2, (response, nth) => arrived[nth]!.resolve(response))
  const platform = testPlatform({ agents: [agent] })
  const answer = platform.run(task())
  const stopAfter = (lost: string) =>
    platform.call(`/api/runs/1/stop-replica?lost=${lost}`, { method: 'POST' })
  await arrived[0]!.promise
  await stopAfter('0')
  await arrived[1]!.promise
  expect((await stopAfter('0')).status).toBe(200)
  expect((await stopAfter('none')).status).toBe(400)
  expect(requests).toHaveLength(2)
  await stopAfter('1')
  const response = await arrived[2]!.promise
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(success('test-1')))
  expect((await answer).status).toBe(200)
})

// EVIDENCE-OF docs/guides/staging.md: While an agent's acceptance checks run, none of its replicas can be stopped
test('no replica is stopped under the acceptance checks', async () => {
  const arrived = Promise.withResolvers<ServerResponse>()
  const { agent } = await stubReplicas(2, response => arrived.resolve(response))
  const checks = Promise.withResolvers<never>()
  checks.promise.catch(() => {})
  const platform = testPlatform({ agents: [agent], runChecks: () => checks.promise })
  const answer = platform.run(task())
  const response = await arrived.promise
  await platform.call('/api/agents/agent-7/checks', { method: 'POST' })
  const refused = await stop(platform, 1)
  expect([refused.status, await errorIn(refused)]).toEqual([
    409,
    'expected no acceptance checks of agent-7 in progress, got some',
  ])
  checks.reject(new Error('stopped'))
  replies(success)({ path: '/run', body: Buffer.from(JSON.stringify(task())) } as never, response)
  await answer
})
