import { appendFile } from 'node:fs/promises'
import type { RunPage, RunRecord } from '@agent-task-service/rehearsal/api'
import { createRedact, openStore } from '@agent-task-service/rehearsal/platform'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { expect, onTestFinished, test } from 'vitest'
import { newFile } from '../new-file.ts'
import { STAGING_TOKEN, task, testPlatform } from '../platform.ts'
import { finished } from '../records.ts'
import { stopTime } from '../stubs.ts'

const streaming = { headers: { accept: 'text/event-stream' } }

function events(...all: readonly (readonly [type: string, data: object])[]): string {
  return all.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join('')
}

test('every answer to a run names its record, and no two share one', async () => {
  const agent = await scriptedAgent(replies(success))
  const platform = testPlatform(agent)
  const answers = await Promise.all(
    [task(), { task_id: '', input: 5 }, task()].map(body => platform.run(body)),
  )
  const named = answers.map(answer => Number(answer.headers.get('staging-run')))
  expect(new Set(named)).toEqual(new Set([1, 2, 3]))
  const unknown = await platform.call('/staging/agents/agent-8/run', { method: 'POST', body: '{}' })
  expect(unknown.headers.has('staging-run')).toBe(false)
})

test("stores a stream's events with the run, without secrets, even in pieces", async () => {
  const half = STAGING_TOKEN.length / 2
  const stream = events(
    ['run_started', { v: 1, at: 0, tools: [] }],
    ['model_started', { v: 1, at: 0.1, step: 1 }],
    ['text', { v: 1, at: 0.2, step: 1, text: `it is ${STAGING_TOKEN.slice(0, half)}` }],
    ['text', { v: 1, at: 0.3, step: 1, text: `${STAGING_TOKEN.slice(half)}, yes` }],
    ['model_failed', { v: 1, at: 0.4, step: 1 }],
    ['text', { v: 1, at: 0.5, step: 1, text: 'again' }],
    ['of_tomorrow', { anything: [STAGING_TOKEN] }],
    ['run_finished', { v: 1, at: 1, cost_usd: 0.0125, cost_estimated: true, response: success('test-1') }],
  )
  const agent = await scriptedAgent((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(stream),
  )
  const platform = testPlatform(agent)
  await (await platform.run(task(), streaming)).text()
  const record = await platform.get<RunRecord>('/api/runs/1')
  expect(record.events.map(({ type }) => type)).toEqual([
    ...['run_started', 'model_started', 'text', 'model_failed', 'text', 'of_tomorrow', 'run_finished'],
  ])
  expect(record.events[2]!.data).toEqual({ v: 1, at: 0.2, step: 1, text: 'it is [redacted], yes' })
  expect(record.events[5]!.data).toEqual({ anything: ['[redacted]'] })
  expect(record.events[6]!.data).toEqual({ v: 1, at: 1, cost_usd: 0.0125, cost_estimated: true })
  expect(record).toMatchObject({ costUsd: 0.0125, costEstimated: true })
  await (await platform.run(task())).text()
  const other = await platform.get<RunRecord>('/api/runs/2')
  expect(other).toMatchObject({ events: [], costUsd: null, costEstimated: false })
})

test('stores events up to a bound', async () => {
  const long = events(['custom', { data: 'x'.repeat(600_000) }])
  const agent = await scriptedAgent((_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'text/event-stream' })
      .end(long + long + events(['run_finished', { response: success('test-1') }])),
  )
  const platform = testPlatform(agent)
  await (await platform.run(task(), streaming)).text()
  const record = await platform.get<RunRecord>('/api/runs/1')
  expect(record).toMatchObject({ status: 'success', events: [{ type: 'custom' }, { type: 'run_finished' }] })
})

test("a run has its agent's log lines; concurrent runs get those that name their task", async () => {
  const log = await newFile('agent.log')
  await appendFile(log, 'of before\n')
  const both = Promise.withResolvers<void>()
  let runs = 0
  const agent = await scriptedAgent(async (request, response) => {
    runs += 1
    if (runs === 3) both.resolve()
    if (runs > 1) await both.promise
    const { task_id } = JSON.parse(request.body.toString())
    await appendFile(log, `task ${task_id} with ${STAGING_TOKEN}\na line of nobody\n`)
    replies(success)(request, response)
  })
  const pass = stopTime()
  const platform = testPlatform({ agents: [{ id: 'agent-7', url: agent.url, log }] })
  const logOf = async (id: number) => (await platform.get<RunRecord>(`/api/runs/${id}`)).log
  await platform.run({ task_id: 'test-1', input: 'a' })
  expect(await logOf(1)).toBeNull()
  await pass(1_000)
  await expect.poll(() => logOf(1)).toBe('task test-1 with [redacted]\na line of nobody')
  await Promise.all(['test-2', 'test-3'].map(task_id => platform.run({ task_id, input: 'a' })))
  await pass(1_000)
  const of = async (taskId: string) => {
    const { runs } = await platform.get<RunPage>('/api/runs')
    return await logOf(runs.find(run => run.taskId === taskId)!.id)
  }
  await expect.poll(() => of('test-2')).toBe('task test-2 with [redacted]')
  await expect.poll(() => of('test-3')).toBe('task test-3 with [redacted]')
})

test("a run's log lines that cannot be recorded are a fault, and leave the platform running", async () => {
  const agent = await scriptedAgent(replies(success))
  const store = openStore(':memory:', createRedact([]))
  onTestFinished(() => store.close())
  const addLog = () => {
    throw new Error('planted')
  }
  const faults: unknown[] = []
  const platform = testPlatform({
    agents: [{ id: 'agent-7', url: agent.url, log: await newFile('agent.log') }],
    store: { ...store, runs: { ...store.runs, addLog } },
    onFault: error => void faults.push(error),
  })
  await platform.run(task())
  await platform.stop()
  expect(faults).toEqual([new Error('planted')])
})

test('marks runs by the checks, which lists can leave out', async () => {
  const agent = await scriptedAgent(replies(success))
  const platform = testPlatform(agent)
  await platform.run(task())
  await platform.run(task(), { headers: { 'staging-by': 'checks' } })
  expect(agent.requests[1]!.headers).not.toHaveProperty('staging-by')
  const list = async (query: string) =>
    (await platform.get<RunPage>(`/api/runs${query}`)).runs.map(({ id, byChecks }) => [id, byChecks])
  expect(await list('')).toEqual([
    [2, true],
    [1, false],
  ])
  expect(await list('?by=person')).toEqual([[1, false]])
  expect(await list('?by=checks')).toEqual([[2, true]])
})

test("polls an agent's health on demand, and again half a minute later", async () => {
  const agent = await scriptedAgent(replies(success))
  const pass = stopTime()
  const platform = testPlatform({ url: agent.url })
  const answer = await platform.call('/api/agents/agent-7/health', { method: 'POST' })
  expect(await answer.json()).toMatchObject({
    state: 'available',
    failuresInARow: 0,
    polls: [{ ok: true }],
  })
  await Promise.all([1, 2].map(() => platform.call('/api/agents/agent-7/health', { method: 'POST' })))
  expect(agent.requests.length).toBe(2)
  await pass(29_999)
  expect(agent.requests.length).toBe(2)
  const arrival = agent.arrival()
  await pass(1)
  await arrival
})

test("a record has the headers of its agent's reply, without secrets, whatever came of it", async () => {
  const agent = await scriptedAgent(({ headers: { accept } }, response) => {
    const type = accept === 'text/event-stream' ? accept : 'text/plain'
    response.writeHead(200, { 'Content-Type': type, 'X-Trace': STAGING_TOKEN, 'Set-Cookie': 'session=1' })
    response.end(events(['run_finished', { response: success('test-1') }]))
  })
  const platform = testPlatform(agent)
  await (await platform.run(task(), streaming)).text()
  await platform.run(task())
  const secrets = { 'x-trace': '[redacted]', 'set-cookie': '[redacted]' }
  expect(await platform.get('/api/runs/1')).toMatchObject({
    status: 'success',
    headers: { 'content-type': 'text/event-stream', ...secrets },
  })
  expect(await platform.get('/api/runs/2')).toMatchObject({
    status: 'violation',
    headers: { 'content-type': 'text/plain', ...secrets },
  })
})

test("a run is compared with a person's latest one before it of the same task, on any agent", () => {
  const { store } = testPlatform({})
  const runs = [
    { input: 'one task' },
    { input: 'another' },
    { input: 'one task', byChecks: true },
    { input: 'one task', agentId: 'agent-8' },
    { input: 'one task' },
    { input: 'a third' },
  ]
  for (const { input, ...run } of runs)
    store.runs.add(finished({ ...run, request: JSON.stringify({ task_id: 'test-1', input }) }))
  const before = (id: number) => store.runs.get(id)!.before
  expect([1, 2, 3, 4, 5, 6].map(before)).toEqual([null, null, 1, 1, 4, null])
})
