import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { RunFigures, RunPage } from '@agent-task-service/rehearsal/api'
import { createRedact, openStore } from '@agent-task-service/rehearsal/platform'
import { Random } from '@agent-task-service/test-support/random'
import { expect, test } from 'vitest'
import { newFile } from '../new-file.ts'
import { testPlatform } from '../platform.ts'
import { finished } from '../records.ts'

const failed = (error: string, status: 'error' | 'timeout' = 'error') => ({
  status,
  reply: JSON.stringify({ status, output: 'a part of it', error, metrics: {} }),
})

/** Of a run as `finished` makes it. */
const { input_tokens, output_tokens } = JSON.parse(finished().reply).metrics
const TOKENS = input_tokens + output_tokens

test('figures: runs, outcomes and percentiles, in all and in buckets of time without gaps', async () => {
  const { store, get } = testPlatform()
  const add = (time: string, wallMs: number, more: Parameters<typeof finished>[0] = {}) =>
    store.runs.add(finished({ at: new Date(`2026-03-14T${time}Z`), wallMs, ...more }))
  for (let n = 1; n <= 20; n += 1) add('10:00:30', n * 100)
  add('10:02:10', 40_000, failed('no model', 'timeout'))
  add('10:02:20', 3, { status: 'unreachable' })
  store.runs.begin({ agentId: 'agent-7', at: new Date('2026-03-14T10:59:59Z'), request: '{}' })

  const figures = await get<RunFigures>('/api/runs/figures')
  expect(figures).toMatchObject({ runs: 23, p50Ms: 1_100, p95Ms: 2_000, bucketMs: 60_000 })
  expect(figures.statuses).toEqual({ success: 20, timeout: 1, unreachable: 1, underway: 1 })
  expect(figures.buckets).toHaveLength(60)
  expect(figures.buckets.slice(0, 3)).toEqual([
    {
      ...{ at: '2026-03-14T10:00:00.000Z', runs: 20, statuses: { success: 20 }, p50Ms: 1_000, p95Ms: 1_900 },
      ...{ tokens: 20 * TOKENS, costUsd: null },
    },
    {
      ...{ at: '2026-03-14T10:01:00.000Z', runs: 0, statuses: {}, p50Ms: null, p95Ms: null },
      ...{ tokens: 0, costUsd: null },
    },
    {
      ...{ at: '2026-03-14T10:02:00.000Z', runs: 2, statuses: { timeout: 1, unreachable: 1 } },
      ...{ p50Ms: 40_000, p95Ms: 40_000, tokens: TOKENS, costUsd: null },
    },
  ])
  const late = await get<RunFigures>('/api/runs/figures?from=2026-03-14T10:01:00Z&to=2026-03-21T10:01:00Z')
  expect(late).toMatchObject({ runs: 3, bucketMs: 3 * 3_600_000 })
  expect(late.buckets.length).toBeLessThanOrEqual(61)
  expect(await get('/api/runs/figures?status=refused')).toEqual({
    ...{ runs: 0, statuses: {}, p50Ms: null, p95Ms: null, bucketMs: 0, buckets: [], errors: [] },
    ...{ tokens: 0, costUsd: null, costEstimated: false },
  })
})

test('errors by kind: alike but for numbers, ids and quoted values; the most frequent first', async () => {
  const { store, get } = testPlatform()
  for (const error of [
    `tool "a" failed 3 times: can't reach 10.0.0.7`,
    'no model',
    `tool "b" failed 12 times: can't reach 10.0.0.8`,
  ])
    store.runs.add(finished(failed(error)))
  store.runs.add(finished(failed('no model', 'timeout')))
  const broken = ['task_id: expected "test-1", got "x"', 'output: expected a string']
  store.runs.add(finished({ status: 'violation', broken }))
  store.runs.add(finished())

  const { errors } = await get<RunFigures>('/api/runs/figures')
  expect(errors).toEqual([
    { status: 'error', message: `tool "b" failed 12 times: can't reach 10.0.0.8`, count: 2, latest: 3 },
    { status: 'violation', message: broken[0], count: 1, latest: 5 },
    { status: 'timeout', message: 'no model', count: 1, latest: 4 },
    { status: 'error', message: 'no model', count: 1, latest: 2 },
  ])
  const like = async (id: number) => (await get<RunPage>(`/api/runs?like=${id}`)).runs.map(run => run.id)
  expect(await like(3)).toEqual([3, 1])
  expect(await like(4)).toEqual([4])
  expect(await like(99)).toEqual([])
})

test('a record of an earlier version has the kind that its output says', async () => {
  const file = await newFile('platform.db')
  openStore(file, createRedact([])).close()
  const older = new DatabaseSync(file)
  const summary = {
    id: 1,
    agentId: 'agent-7',
    at: '2026-03-14T10:00:00.000Z',
    status: 'error',
    output: 'no model',
  }
  older
    .prepare('INSERT INTO runs (id, summary, searched, texts) VALUES (1, ?, ?, ?)')
    .run(JSON.stringify({ ...summary, byChecks: false, wallMs: 5 }), '', '{}')
  older.exec('DROP INDEX runs_by_summed_figures; CREATE INDEX runs_by_figures ON runs (summary)')
  older.close()
  const { get } = testPlatform({ file })
  const { errors } = await get<RunFigures>('/api/runs/figures')
  expect(errors).toEqual([{ status: 'error', message: 'no model', count: 1, latest: 1 }])
})

test('figures are computed once while nothing changes', async () => {
  const store = openStore(':memory:', createRedact([]))
  store.runs.add(finished())
  const first = store.runs.figures({ agent: 'agent-7' })
  expect(await store.runs.figures({ agent: 'agent-7' })).toBe(await first)
  expect(await store.runs.figures({ agent: 'agent-8' })).toMatchObject({ runs: 0 })
  store.runs.add(finished())
  expect(await store.runs.figures({ agent: 'agent-7' })).toMatchObject({ runs: 2 })
  store.close()
})

// EVIDENCE-OF docs/guides/staging.md: Figures are made of 500 runs at a time, so that a long history does not hold up the clock of
//   a run.
test('figures of many runs are those of all, though others have their turn meanwhile', async () => {
  const store = openStore(':memory:', createRedact([]))
  const random = new Random(Number(process.env.SAMPLE_SEED))
  const at = (second: number) => new Date(Date.UTC(2026, 2, 14, 10, 0, second))
  const runs = Array.from({ length: 2_000 }, () => ({
    ...{ second: random.whole(0, random.pick([0, 3, 3_000])), wallMs: random.whole(1, 9_000) },
    usd: random.happens(0.5) ? random.whole(0, 100) : undefined,
    isEstimate: random.happens(0.01),
    tokens: random.whole(0, 1_000),
    error: random.happens(0.2)
      ? `${random.pick(['no model', 'no tool'])} in ${random.whole(1, 99)} tries`
      : null,
  }))
  for (const { second, wallMs, error, usd, isEstimate, tokens } of runs) {
    const { status, reply } = finished(error === null ? {} : failed(error))
    const metrics = { duration_sec: 1, input_tokens: tokens, output_tokens: 1, steps: 1 }
    const end = { type: 'run_finished', data: { cost_usd: usd, cost_estimated: isEstimate } }
    store.runs.add(
      finished({
        ...{ at: at(second), wallMs, status, events: [end] },
        reply: JSON.stringify({ ...JSON.parse(reply), metrics }),
      }),
    )
  }

  let turns = 0
  let isOver = false
  const [from, to] = [random.whole(0, 1), random.whole(1_000, 3_001)]
  const asked = store.runs.figures({ from: at(from).toISOString(), to: at(to).toISOString() })
  void asked.then(() => {
    isOver = true
  })
  for (; !isOver; turns += 1) await setImmediate()
  const { errors, buckets, ...figures } = await asked

  const matching = runs.filter(({ second }) => second >= from && second < to)
  const sorted = matching.map(({ wallMs }) => wallMs).sort((a, b) => a - b)
  const failures = matching.filter(({ error }) => error !== null)
  expect(turns).toBeGreaterThan(2)
  expect(figures).toMatchObject({
    runs: matching.length,
    statuses: { success: matching.length - failures.length, error: failures.length },
    p95Ms: sorted[Math.ceil(0.95 * sorted.length) - 1],
    tokens: matching.reduce((sum, { tokens }) => sum + tokens + 1, 0),
    costUsd: matching.reduce((sum, { usd = 0 }) => sum + usd, 0),
    costEstimated: matching.some(({ isEstimate }) => isEstimate),
  })
  for (const name of ['runs', 'tokens', 'costUsd'] as const)
    expect(buckets.reduce((sum, bucket) => sum + (bucket[name] ?? 0), 0)).toBe(figures[name])
  const counts = ['no model', 'no tool'].map(
    words => failures.filter(({ error }) => error!.startsWith(words)).length,
  )
  expect(errors.map(({ count }) => count)).toEqual(counts.sort((a, b) => b - a))
  const latest = runs.findLastIndex(
    run => failures.includes(run) && run.error!.startsWith(errors[0]!.message.slice(0, 7)),
  )
  expect(errors[0]).toMatchObject({ latest: latest + 1, message: runs[latest]!.error })
  store.close()
})
