import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { plantSecrets, startRedis, startReplicas } from '@agent-task-service/rehearsal/agents'
import type { RecordedEvent, RunRecord } from '@agent-task-service/rehearsal/api'
import { createPlatform, createRedact, openStore } from '@agent-task-service/rehearsal/platform'
import { seedsOf } from '@agent-task-service/test-support/at-length'
import { Random } from '@agent-task-service/test-support/random'
import { until } from '@agent-task-service/test-support/until'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { bundleOnce } from '../bundle-once.ts'
import { REPLICA } from './killed/lane.ts'
import { CALLS, problemsOf, startWorld } from './killed/world.ts'

beforeAll(() => bundleOnce('test/fleet/killed/replica.ts', 'node_modules/.cache/killed'))

/** The platform with two replicas in a Redis of its own, and what they do. */
async function rehearsal() {
  // Nothing but the record keeps a call from being made twice.
  const world = await startWorld('yes', false, 0)
  const folder = mkdtempSync(join(tmpdir(), 'rehearsed-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { PATH } = process.env
  const redis = await startRedis({ PATH })
  onTestFinished(() => void redis.end())
  const told: string[] = []
  const agent = await startReplicas(plantSecrets({ PATH, ...world.env, REDIS_URL: redis.url }), {
    count: 2,
    command: [process.execPath, REPLICA],
    logFile: join(folder, 'agent.log'),
    tell: sentence => told.push(sentence),
  })
  onTestFinished(agent.end)
  const redact = createRedact([])
  const store = openStore(':memory:', redact)
  const runChecks = () => Promise.reject(new Error('no checks in this test'))
  const { app, stop } = createPlatform({
    agents: [agent],
    token: 'token of the test',
    redact,
    store,
    runChecks,
  })
  onTestFinished(stop)
  const call = async (path: string, init?: RequestInit) =>
    (await (await app.request(`/api/${path}`, init)).json()) as RunRecord
  return { world, call, told }
}

/** Numbers of the model calls that a part of a record has, replayed or not. */
function callsIn(events: readonly RecordedEvent[], isReplayed: boolean): unknown[] {
  return events
    .filter(({ type, data }) => type === 'model_finished' && (data.replayed === true) === isReplayed)
    .map(({ data }) => data.step)
}

// EVIDENCE-OF docs/guides/staging.md: The other one goes on from the last step that was recorded, and makes no call with side effects
//   again
test('a replica that is stopped at any moment of a run: the other one goes on, and nothing happens twice', async () => {
  const { world, call, told } = await rehearsal()
  const whole: string[] = []
  const run = async (seed: number, at: number | undefined) => {
    const task = { task_id: new Random(seed).uuid(), input: '' }
    const begun = Promise.withResolvers<number>()
    let moments = 0
    world.onMoment = async moment => {
      if (at === undefined) whole.push(moment)
      if (moments++ === at) await call(`runs/${await begun.promise}/stop-replica`, { method: 'POST' })
    }
    const body = JSON.stringify({ ...task, input: `Do ${task.task_id}` })
    const { id } = await call('agents/agent-1/runs', { method: 'POST', body })
    begun.resolve(id)
    let record = await call(`runs/${id}`)
    for (; record.status === 'underway'; record = await call(`runs/${id}`)) await sleep(20)
    return { task, record, reply: JSON.parse(record.reply) }
  }
  expect((await run(1_000, undefined)).record.status).toBe('success')
  expect(whole.length).toBeGreaterThan(2 * CALLS.length)

  const seeds = seedsOf(20, 2)
  for (const seed of seeds) {
    const at = Math.floor(new Random(seed).next() * whole.length)
    const { task, record, reply } = await run(seed, at)
    const what = `seed ${seed}, at ${whole[at]}`
    expect([what, ...problemsOf([reply], world.doneFor(task.task_id))]).toEqual([what])
    const lost = record.events.findIndex(({ type }) => type === 'replica_lost')
    expect([what, lost >= 0]).toEqual([what, true])
    const [first, second] = [record.events.slice(0, lost), record.events.slice(lost + 1)]
    // What had a reply is not asked again; the last reply may not have been recorded yet. An unknown outcome ends the run at once.
    const least = reply.status === 'success' ? callsIn(first, false).length - 1 : 0
    expect([what, callsIn(second, true).length >= least]).toEqual([what, true])
    await until(() => told.length > seeds.indexOf(seed))
  }
  expect(told.every(sentence => /^replica [12] of agent-1 ended with signal SIGKILL/.test(sentence))).toBe(
    true,
  )
})

test('without a Redis on the machine, the platform says what it needs', async () => {
  await expect(startRedis({ PATH: '/nowhere' })).rejects.toThrow(
    /^--replicas: expected a Redis in REDIS_URL, or redis-server in PATH, got no REDIS_URL, and of redis-server: it could not be started \(ENOENT\)/,
  )
})
