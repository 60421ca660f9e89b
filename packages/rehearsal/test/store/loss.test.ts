import { closeSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { AgentPage, CheckRun, RunPage, RunRecord } from '@agent-task-service/rehearsal/api'
import { createRedact, openStore } from '@agent-task-service/rehearsal/platform'
import { some } from '@agent-task-service/test-support/at-length'
import { Random } from '@agent-task-service/test-support/random'
import { success } from '@agent-task-service/test-support/scripted-agent'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newFile } from '../new-file.ts'
import { task, testPlatform } from '../platform.ts'
import { finished } from '../records.ts'

/** A store whose losses are told, and the databases that it opens. */
function lossy(file: string) {
  const opened = new Set<DatabaseSync>()
  const { exec } = DatabaseSync.prototype
  const spy = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    opened.add(this)
    return exec.call(this, sql)
  })
  const losses: string[] = []
  const store = openStore(file, createRedact([]), loss => losses.push(loss))
  spy.mockRestore()
  return { store, losses, database: [...opened][0]! }
}

// EVIDENCE-OF docs/guides/staging.md: If the disk is full, or the file is damaged, removed or cannot be written, the platform and the dashboard say so with
//   the file's name, and runs go on in memory, with the newest records that can still be read.
test('a disk that is full is told once, with the file, and the runs in progress and later ones go on in memory', async () => {
  const file = await newFile('platform.db')
  const { store, losses, database } = lossy(file)
  onTestFinished(() => store.close())
  for (let n = 1; n <= 5; n += 1) store.runs.add(finished({ output: `answer ${n}` }))
  const agent = await streamingAgent()
  const { call, get } = testPlatform({ url: agent.url, store })
  expect(await get<AgentPage>('/api/agents')).toMatchObject({ loss: null })
  const arrived = agent.nextRun()
  await call('/api/agents/agent-7/runs', { method: 'POST', body: JSON.stringify(task('in progress')) })
  const run = await arrived
  // No page may be added to it.
  database.exec('PRAGMA max_page_count = 1; PRAGMA cache_size = 1')
  run.finish(success(run.taskId, 'x'.repeat(100_000)))
  await expect.poll(async () => (await get<RunRecord>('/api/runs/6')).status).toBe('success')
  const next = agent.nextRun()
  await call('/api/agents/agent-7/runs', { method: 'POST', body: JSON.stringify(task('after it')) })
  const other = await next
  other.finish(success(other.taskId))
  await expect.poll(async () => (await get<RunRecord>('/api/runs/7')).status).toBe('success')
  const { runs } = await get<RunPage>('/api/runs')
  expect(runs.map(({ id }) => id)).toEqual([7, 6, 5, 4, 3, 2, 1])
  expect((await get<RunRecord>('/api/runs/5')).output).toBe('answer 5')
  expect(losses).toEqual([
    `${file}: the disk is full (database or disk is full). Runs go on in memory, and are lost when the platform ends.`,
  ])
  expect((await get<AgentPage>('/api/agents')).loss).toBe(losses[0])
})

/** Overwrites some of a file, but for its head, or cuts it off. */
function damage(file: string, random: Random): void {
  const { size } = statSync(file)
  if (random.happens(0.2)) truncateSync(file, random.whole(100, size - 1))
  const handle = openSync(file, 'r+')
  for (let n = random.whole(1, 20); n > 0; n -= 1) {
    const bytes = Buffer.alloc(random.pick([1, 100, 4_096]), random.pick(['\0', '{', '\xff', 'a']))
    writeSync(handle, bytes, 0, bytes.length, random.whole(100, size))
  }
  closeSync(handle)
}

const cases = Array.from({ length: 100 }, (_, seed) => seed)

test.each(some(cases, 25))(
  'whatever of a file is damaged, before the start or after it, runs go on; what is lost is told (%i)',
  async seed => {
    const random = new Random(seed)
    const file = await newFile('platform.db')
    const first = lossy(file)
    for (let id = 1; id <= 30; id += 1)
      first.store.runs.add(finished({ output: 'long '.repeat(random.whole(0, 2_000)) }))
    first.store.checks.begin('agent-7', new Date())
    first.store.close()
    const isAfter = random.happens(0.5)
    if (!isAfter) damage(file, random)
    let opened: ReturnType<typeof lossy>
    try {
      opened = lossy(file)
    } catch (error) {
      // Its head is not touched, but what says that it is this platform's may be.
      expect(String(error)).toContain(file)
      return
    }
    if (isAfter) damage(file, random)
    const { store, losses } = opened
    onTestFinished(() => store.close())
    const { get, call } = testPlatform({ store })
    const paths = ['/api/runs', '/api/runs?by=person&sort=slowest', '/api/runs/figures', '/api/checks']
    for (const path of paths) expect((await call(path)).status, path).toBe(200)
    const id = store.runs.add(finished({ output: 'after it' }))
    expect(await get(`/api/runs/${id}`)).toMatchObject({ output: 'after it', status: 'success' })
    expect((await get<RunPage>('/api/runs')).runs[0]).toMatchObject({ id, output: 'after it' })
    expect((await get<CheckRun>('/api/checks/1')).id ?? 1).toBe(1)
    expect(losses.length).toBeLessThan(2)
    for (const loss of losses) expect(loss.startsWith(`${file}: `)).toBe(true)
  },
)

test('a file that is removed is told, and all of its records go on in memory', async () => {
  const file = await newFile('platform.db')
  const { store, losses } = lossy(file)
  onTestFinished(() => store.close())
  const id = store.runs.add(finished({ output: 'before it' }))
  for (const end of ['', '-wal']) rmSync(file + end)
  const later = store.runs.add(finished({ output: 'after it' }))
  expect([store.runs.get(id)?.output, store.runs.get(later)?.output]).toEqual(['before it', 'after it'])
  expect(losses).toEqual([
    `${file}: it cannot be read or written (it has been removed). Runs go on in memory, and are lost when the platform ends.`,
  ])
})

test('another error of the database is no loss', async () => {
  const { store, losses, database } = lossy(await newFile('platform.db'))
  onTestFinished(() => store.close())
  database.exec('DROP TABLE check_runs')
  expect(() => store.checks.list()).toThrow('no such table')
  expect([losses, store.loss]).toEqual([[], null])
})
