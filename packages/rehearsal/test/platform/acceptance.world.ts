import type { CheckRun, RunPage } from '@agent-task-service/rehearsal/api'
import { type CheckOptions, runChecks } from '@agent-task-service/rehearsal/checks'
import { createRedact, openStore } from '@agent-task-service/rehearsal/platform'
import type { Report } from '@agent-task-service/rehearsal/report'
import { parseTasks } from '@agent-task-service/rehearsal/tasks'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { until } from '@agent-task-service/test-support/until'
import { parseJson } from '@agent-task-service/wire/untrusted'
import { expect, test } from 'vitest'
import { newFile } from '../new-file.ts'
import { AGENT_TOKEN, errorIn, STAGING_TOKEN, testPlatform } from '../platform.ts'

const report = (given: Partial<Report> = {}): Report => ({
  ...{ url: 'http://seven', agentId: 'agent-7', startedAt: '2026-01-01T00:00:00.000Z', finishedAt: null },
  ...{ verdict: null, requests: 0, groups: [], ...given },
})

/** A platform whose checks do as the test says. */
function checked(parts: Parameters<typeof testPlatform>[0] = {}) {
  const asked: CheckOptions[] = []
  const ends: PromiseWithResolvers<Report>[] = []
  const platform = testPlatform({
    url: 'http://seven',
    ownUrl: () => 'http://platform',
    runChecks: options => {
      asked.push(options)
      const end = Promise.withResolvers<Report>()
      ends.push(end)
      options.signal!.addEventListener('abort', () => end.resolve(report({ verdict: 'incomplete' })))
      return end.promise
    },
    ...parts,
  })
  const begin = (agent = 'agent-7') => platform.call(`/api/agents/${agent}/checks`, { method: 'POST' })
  const ended = async (id: number): Promise<CheckRun> => {
    await until(() => platform.store.checks.get(id)?.state !== 'underway')
    return await platform.get<CheckRun>(`/api/checks/${id}`)
  }
  return { ...platform, asked, ends, begin, ended }
}

test('the checks get everything about the agent, and their report is available during and after', async () => {
  const start = { readyMs: 5, log: { name: 'its output', read: async () => '' }, secrets: new Map() }
  const given = { url: 'http://seven', token: AGENT_TOKEN, image: 'seven:1', start }
  const agents = [{ id: 'agent-7', log: '/tmp/7.log', ...given }]
  const tasks = parseTasks('tasks: [{ input: Six?, expect: { number: 6 } }]', 'tasks.yaml')
  const { begin, asked, ends, get, ended } = checked({ agents, tasks })
  const response = await begin()
  expect(response.status).toBe(202)
  expect(await response.json()).toEqual({
    ...{ id: 1, agentId: 'agent-7', startedAt: expect.any(String), finishedAt: null },
    ...{ state: 'underway', before: null },
  })
  expect(asked[0]).toMatchObject({
    ...{ ...given, agentId: 'agent-7', tasks },
    log: { name: 'the file /tmp/7.log' },
    platform: { url: 'http://platform', token: STAGING_TOKEN, agentId: 'agent-7' },
    askedBy: 'dashboard',
  })
  const group = { id: 'health', title: 'Health', state: 'underway', assertions: [] } as const
  asked[0]!.onProgress!(report({ groups: [group] }))
  expect(await get('/api/checks/1')).toMatchObject({ state: 'underway', report: { groups: [group] } })
  ends[0]!.resolve(report({ verdict: 'failed', finishedAt: '2026-01-01T00:01:00.000Z' }))
  expect(await ended(1)).toMatchObject({ state: 'failed', report: { verdict: 'failed' } })
  const { checks } = await get<{ checks: CheckRun[] }>('/api/agents/agent-7/checks')
  const { report: _, before, ...listed } = await get<CheckRun>('/api/checks/1')
  expect([checks, before]).toEqual([[listed], null])
})

test('runs one set of checks at a time per agent, any number in sequence', async () => {
  const agents = [
    { id: 'agent-7', url: 'http://seven' },
    { id: 'agent-8', url: 'http://eight' },
  ]
  const { begin, ends, ended, get } = checked({ agents })
  await begin()
  const second = await begin()
  expect(second.status).toBe(409)
  expect(await errorIn(second)).toBe('the checks of agent-7 are already running: number 1')
  expect((await begin('agent-8')).status).toBe(202)
  ends[0]!.resolve(report({ verdict: 'passed' }))
  await ended(1)
  expect((await begin()).status).toBe(202)
  const { checks } = await get<{ checks: CheckRun[] }>('/api/agents/agent-7/checks')
  expect(checks.map(({ id, state }) => [id, state])).toEqual([
    [3, 'underway'],
    [1, 'passed'],
  ])
  expect((await begin('agent-9')).status).toBe(404)
  expect((await get<CheckRun & { error: string }>('/api/checks/9')).error).toBe('no checks with number 9')
})

test('checks in progress can be stopped, and are compared with the last that finished', async () => {
  const { begin, asked, ends, get, ended, call } = checked()
  const stop = (id: number) => call(`/api/checks/${id}/stop`, { method: 'POST' })
  await begin()
  ends[0]!.resolve(report({ verdict: 'passed' }))
  await ended(1)
  await begin()
  const stopped = (await (await stop(2)).json()) as CheckRun
  expect(stopped).toMatchObject({ state: 'incomplete', cause: 'they were stopped', before: 1 })
  expect(asked[0]!.signal!.aborted).toBe(false)
  await begin()
  ends[2]!.reject(new Error('of their own'))
  expect(await ended(3)).toMatchObject({ state: 'broken', before: 2 })
  await begin()
  expect(await get('/api/checks/4')).toMatchObject({ before: 2 })
  // What has ended stays as it is.
  expect(await (await stop(1)).json()).toMatchObject({ state: 'passed' })
  expect((await stop(9)).status).toBe(404)
})

test('a failure names the run behind it, which is kept among the runs of the checks', async () => {
  const agent = await scriptedAgent(replies(taskId => ({ ...success(taskId, 'seven'), steps: 1 })))
  const tasks = parseTasks('tasks: [{ input: What is 6 times 7?, expect: { number: 42 } }]', 'tasks.yaml')
  const only = ['result'] as const
  const platform = testPlatform({
    url: agent.url,
    runChecks: options => runChecks({ ...options, tasks, only }),
  })
  await platform.call('/api/agents/agent-7/checks', { method: 'POST' })
  await until(() => platform.store.checks.get(1)?.state !== 'underway')
  const { report: found } = await platform.get<CheckRun>('/api/checks/1')
  const [{ run, verdict } = {}] = found!.groups[0]!.assertions
  expect(verdict).toBe('fail')
  expect(await platform.get(`/api/runs/${run}`)).toMatchObject({
    ...{ input: 'What is 6 times 7?', output: 'seven', status: 'success', byChecks: true, agentStatus: 200 },
  })
})

test('records of the checks have no cookie, though Node has a list of them, and lead to the assertions that made them, and back', async () => {
  const cookies = { 'Content-Type': 'application/json', 'Set-Cookie': ['sid=of-a-session', 'theme=dark'] }
  const agent = await scriptedAgent(({ body }, response) => {
    const { task_id = '' } = (parseJson(String(body)) ?? {}) as { task_id?: string }
    response.writeHead(200, cookies).end(JSON.stringify(success(task_id, 'seven')))
  })
  const platform = testPlatform({
    url: agent.url,
    runChecks: options => runChecks({ ...options, only: ['run'] }),
  })
  await platform.call('/api/agents/agent-7/checks', { method: 'POST' })
  await until(() => platform.store.checks.get(1)?.state !== 'underway')
  const records = [...platform.store.runs.whole({ byChecks: true })]
  expect(records.length).toBeGreaterThan(50)
  expect(new Set(records.map(({ headers }) => headers['set-cookie']))).toEqual(new Set(['[redacted]']))

  expect(new Set(records.map(({ check }) => check))).toEqual(new Set([1]))
  const { report: found } = await platform.get<CheckRun>('/api/checks/1')
  const all = found!.groups.flatMap(group => group.assertions)
  const named = new Set(all.flatMap(({ runs = [] }) => runs))
  // Others are made for all of them.
  expect(named.size).toBeGreaterThan(records.length / 2)
  expect(records.map(({ id }) => id)).toEqual(expect.arrayContaining([...named]))
  const listed = await platform.get<RunPage>('/api/runs?check=1&limit=200')
  expect(listed.runs).toHaveLength(Math.min(200, records.length))
  expect((await platform.get<RunPage>('/api/runs?check=2')).runs).toEqual([])
})

test('checks that fail themselves are broken, with the cause and their findings, and without secrets', async () => {
  const { begin, asked, ends, ended, get } = checked()
  await begin()
  asked[0]!.onProgress!(report({ agentId: AGENT_TOKEN }))
  expect(await get('/api/checks/1')).toMatchObject({ report: { agentId: '[redacted]' } })
  ends[0]!.reject(new Error(`no tasks at /x; ${STAGING_TOKEN}`))
  expect(await ended(1)).toMatchObject({
    ...{ state: 'broken', cause: 'no tasks at /x; [redacted]', report: { agentId: '[redacted]' } },
  })
})

test('a report of the command line is listed with its agent, by its address, or else among the others', async () => {
  const { call, get, begin, ends, ended } = checked({
    agents: [{ id: 'agent-7', url: 'http://localhost:81' }],
  })
  await begin()
  ends[0]!.resolve(report({ verdict: 'passed' }))
  await ended(1)
  const times = { startedAt: '2026-01-01T00:00:00.000Z', finishedAt: '2026-01-01T00:01:00.000Z' }
  const made = report({
    ...times,
    url: 'http://127.0.0.1:81',
    verdict: 'failed',
    cause: `a ${STAGING_TOKEN}`,
  })
  const post = (body: unknown) => call('/api/checks', { method: 'POST', body: JSON.stringify(body) })
  const answer = await post(made)
  expect(answer.status).toBe(201)
  expect(await answer.json()).toMatchObject({ id: 2, report: { cause: 'a [redacted]' } })
  await post({ ...made, url: 'http://localhost:82', verdict: 'incomplete' })
  const ofSeven = await get<{ checks: CheckRun[] }>('/api/agents/agent-7/checks')
  expect(ofSeven.checks).toMatchObject([
    { id: 2, state: 'failed', onCommandLine: true, ...times, found: { hold: 0, of: 0 } },
    { id: 1, state: 'passed' },
  ])
  expect(ofSeven.checks[1]).not.toHaveProperty('onCommandLine')
  expect((await get<{ checks: CheckRun[] }>('/api/checks')).checks).toMatchObject([
    { id: 3, agentId: 'http://localhost:82', state: 'incomplete' },
    { id: 2 },
    { id: 1 },
  ])
  expect(await get('/api/checks/2')).toMatchObject({ before: 1, report: { verdict: 'failed' } })
})

test.each([
  ['nothing', undefined],
  ['no report', { verdict: 'passed' }],
  ['a report so far', report()],
  ['an address of another kind', report({ url: 'javascript:1' })],
])('refuses %s in place of a report', async (_name, body) => {
  const { call, get } = testPlatform()
  const answer = await call('/api/checks', { method: 'POST', body: JSON.stringify(body) ?? '' })
  expect(answer.status).toBe(400)
  expect(await get('/api/checks')).toEqual({ checks: [] })
})

test("runs that a report of the command line names are not the platform's, and are left out", async () => {
  const { call, get } = testPlatform()
  const texts = { title: 'a', detail: 'b', why: 'c', how: 'd' }
  const failed = { id: 'run.uuid', verdict: 'fail', mandatory: true, ...texts, run: 12, runs: [12] } as const
  // An earlier version does not say how many were expected.
  const groups = [
    { id: 'run', title: 'e', state: 'done', assertions: [failed] },
    { id: 'logs', title: 'e', state: 'done', expected: 3, assertions: [] },
  ] as const
  const finishedAt = '2026-01-01T00:01:00.000Z'
  const body = JSON.stringify(report({ verdict: 'failed', finishedAt, groups }))
  await call('/api/checks', { method: 'POST', body })
  const { report: kept } = await get<CheckRun>('/api/checks/1')
  const { run: _, runs: _runs, ...known } = failed
  expect(kept!.groups).toEqual([{ ...groups[0], assertions: [known] }, groups[1]])
})

test("checks interrupted by the platform's shutdown are told so", async () => {
  const { begin, stop, store } = checked()
  await begin()
  await stop()
  expect(store.checks.get(1)).toMatchObject({ state: 'incomplete', cause: 'the platform stopped' })
})

test('checks interrupted by a crash are broken after the restart', async () => {
  const file = await newFile('platform.db')
  const first = openStore(file, createRedact([]))
  first.checks.begin('agent-7', new Date(0))
  first.close()
  const second = openStore(file, createRedact([]))
  expect(second.checks.list('agent-7')).toMatchObject([
    { state: 'broken', cause: 'the platform stopped during the checks' },
  ])
  second.close()
})
