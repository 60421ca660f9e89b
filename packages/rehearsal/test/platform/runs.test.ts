import { readFileSync } from 'node:fs'
import type { AgentView, RunPage, RunRecord } from '@agent-task-service/rehearsal/api'
import { createRedact, openStore } from '@agent-task-service/rehearsal/platform'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import { until } from '@agent-task-service/test-support/until'
import { expect, onTestFinished, test } from 'vitest'
import { newFile } from '../new-file.ts'
import { errorIn, STAGING_TOKEN, task, testPlatform } from '../platform.ts'

const PLATFORM_FAILED = 'the platform itself failed; see its output'

const call1 = { step: 1, model: 'model-a', attempt: 1 }

/** A platform with a run begun on the dashboard, which the test conducts. */
async function begun() {
  const agent = await streamingAgent()
  const platform = testPlatform({ url: agent.url })
  const arrived = agent.nextRun()
  const body = JSON.stringify(task())
  const answer = await platform.call('/api/agents/agent-7/runs', { method: 'POST', body })
  const record = () => platform.get<RunRecord>('/api/runs/1')
  const recorded = (hasCome: (record: RunRecord) => boolean) =>
    expect.poll(async () => hasCome(await record())).toBe(true)
  return { ...platform, answer, record, recorded, run: await arrived }
}

test('a run of the dashboard has its record at once, and grows in it, in lists and with its agent', async () => {
  const { answer, record, recorded, get, run } = await begun()
  expect(answer.status).toBe(202)
  expect(await answer.json()).toMatchObject({ id: 1, status: 'underway', request: task(), events: [] })
  run.send('model_started', { at: 0.1, ...call1 })
  run.send('text', { at: 0.2, step: 1, text: `it is ${STAGING_TOKEN.slice(0, 9)}` })
  run.send('text', { at: 0.3, step: 1, text: `${STAGING_TOKEN.slice(9)}, yes` })
  run.send('tool_started', { at: 0.4, step: 2, tool: 'time' })
  await recorded(({ events }) => events.length === 3)
  const { events, ...summary } = await record()
  expect(events[1]).toMatchObject({ type: 'text', data: { text: 'it is [redacted], yes' } })
  expect(summary).toMatchObject({ httpStatus: null, wallMs: null, steps: 2, log: null, reply: '' })
  const listed = await get<RunPage>('/api/runs?status=underway&by=person')
  expect(listed.runs).toMatchObject([{ id: 1, steps: 2, input: 'What is 6 times 7?' }])
  const underway = async () => (await get<{ agents: AgentView[] }>('/api/agents')).agents[0]!.underway
  expect(await underway()).toEqual([1])

  run.finish(success(run.taskId, 'forty-two'))
  await recorded(({ status }) => status === 'success')
  expect(await record()).toMatchObject({ output: 'forty-two', steps: 1, httpStatus: 200, agentStatus: 200 })
  expect((await record()).events.map(({ type }) => type)).toEqual([
    ...['model_started', 'text', 'tool_started', 'run_finished'],
  ])
  expect(await underway()).toEqual([])
})

// EVIDENCE-OF docs/reference/event-stream.md: The dashboard shows them with each model call, and keeps those of its latest 50
//   runs in memory.
test('asks what the models read, and has it without secrets, of 50 runs, in no file', async () => {
  const file = await newFile('runs.sqlite')
  const agent = await streamingAgent()
  const store = openStore(file, createRedact([STAGING_TOKEN]))
  onTestFinished(() => store.close())
  const platform = testPlatform({ url: agent.url, store })
  const record = (id: number) => platform.get<RunRecord>(`/api/runs/${id}`)
  const soon = <Value>(value: () => Promise<Value>) => expect.poll(value, { interval: 2 })
  const read = (text: string) => ({ step: 1, messages: [{ number: 1, role: 'user', tokens: 7, text }] })
  const made = async (id: number) => {
    const arrived = agent.nextRun()
    await platform.call('/api/agents/agent-7/runs', { method: 'POST', body: JSON.stringify(task()) })
    const run = await arrived
    expect(run.headers.prefer).toBe('model-input')
    run.send('model_started', { at: 0.1, ...call1 })
    run.send('model_input', { at: 0.2, ...read(`run ${id}: ${STAGING_TOKEN}`) })
    await soon(async () => (await record(id)).modelInputs).toHaveLength(1)
    run.finish(success(run.taskId, 'forty-two'))
    await soon(async () => (await record(id)).status).toBe('success')
  }
  for (let id = 1; id <= 51; id += 1) await made(id)
  const { modelInputs, events } = await record(51)
  expect(modelInputs).toEqual([
    { type: 'model_input', data: expect.objectContaining(read('run 51: [redacted]')) },
  ])
  expect(events.map(({ type }) => type)).toEqual(['model_started', 'run_finished'])
  expect((await record(2)).modelInputs).toHaveLength(1)
  expect((await record(1)).modelInputs).toEqual([])
  expect(readFileSync(file, 'utf8') + readFileSync(`${file}-wal`, 'utf8')).not.toContain('run 51:')
})

const KEY = 'sk-proj-QRcHK0j1TU3YqUUR32vxv29TaOx6TwJk'

test.each([
  ['a secret of the platform', STAGING_TOKEN.slice(0, 9), `${STAGING_TOKEN.slice(9)}, yes`],
  ['what looks like a key', KEY.slice(0, 11), `${KEY.slice(11)}, yes`],
  ["a URL's password", '//app:hunt', 'er22@cache, yes'],
])('while it grows, a text shows no beginning of a secret: %s', async (_what, one, other) => {
  const { record, recorded, run } = await begun()
  const shown = ({ events }: RunRecord) => events.map(({ data }) => data.text).join('|')
  run.send('text', { at: 0.1, step: 1, text: `it is ${one}` })
  await recorded(({ events }) => events.length === 1)
  expect(shown(await record())).toBe('it is ')
  run.send('text', { at: 0.2, step: 1, text: other })
  run.send('text', { at: 0.3, step: 2, text: 'hunter' })
  run.send('model_started', { at: 0.4, step: 2 })
  await recorded(({ events }) => events.length === 3)
  expect(shown(await record())).toMatch(/^it is \S*\[redacted\]\S*, yes\|hunter\|$/)
  run.finish(success(run.taskId, 'yes'))
  await recorded(({ status }) => status === 'success')
  expect(shown(await record())).toMatch(/^it is \S*\[redacted\]\S*, yes\|hunter\|\|$/)
})

test("the agent's reply is recorded like any other, even if it is JSON or breaks the contract", async () => {
  const agent = await scriptedAgent(replies(() => ({ status: 'success' })))
  const { call, store } = testPlatform(agent)
  await call('/api/agents/agent-7/runs', { method: 'POST', body: JSON.stringify(task()) })
  await until(() => store.runs.get(1)?.status !== 'underway')
  expect(agent.requests[0]!.headers.accept).toBe('text/event-stream, application/json')
  expect(store.runs.get(1)).toMatchObject({
    status: 'violation',
    httpStatus: 502,
    reply: '{"status":"success"}',
  })
})

test('to cancel a run hangs up on its agent, and what has ended stays as it is', async () => {
  const { call, run, record } = await begun()
  const cancel = (id: number) => call(`/api/runs/${id}/cancel`, { method: 'POST' })
  run.send('model_started', { at: 0.1, ...call1 })
  const cancelled = await cancel(1)
  await run.left
  const { reply, ...ended } = (await cancelled.json()) as RunRecord
  expect(ended).toMatchObject({ status: 'cancelled', httpStatus: 499, broken: [] })
  expect(JSON.parse(reply).error).toBe('it was cancelled before agent-7 replied')
  expect(await (await cancel(1)).json()).toEqual(await record())
  expect(await errorIn(await cancel(2))).toBe('no run with number 2')
})

test('a run of the staging route is in progress on the dashboard too, and can be cancelled there', async () => {
  const agent = await streamingAgent()
  const { run, call, get } = testPlatform({ url: agent.url })
  const arrived = agent.nextRun()
  const answer = run(task())
  await arrived
  expect(await get('/api/runs/1')).toMatchObject({ status: 'underway' })
  await call('/api/runs/1/cancel', { method: 'POST' })
  expect((await answer).status).toBe(499)
  expect(await errorIn(await answer)).toBe('it was cancelled before agent-7 replied')
})

test('runs may end before the platform stops; what is still in progress then is ended by the platform', async () => {
  const { run, stop, drain, record } = await begun()
  let isOver = false
  const over = drain().then(() => {
    isOver = true
  })
  await record()
  expect(isOver).toBe(false)
  await stop()
  await Promise.all([run.left, over])
  const { reply, ...ended } = await record()
  expect(ended).toMatchObject({ status: 'cancelled', broken: [] })
  expect(JSON.parse(reply).error).toBe('the platform stopped before agent-7 replied')
})

test('a run that its platform did not survive is not in progress any more, and its agent not to blame', async () => {
  const file = await newFile('platform.db')
  const first = openStore(file, createRedact([]))
  first.runs.begin({ agentId: 'agent-7', at: new Date(0), request: JSON.stringify(task()) })
  first.close()
  const second = openStore(file, createRedact([]))
  expect(second.runs.list({ status: 'underway' })).toEqual([])
  expect(second.runs.get(1)).toMatchObject({
    ...{ status: 'cancelled', httpStatus: 499, agentStatus: null, wallMs: null, broken: [] },
    output: 'the platform stopped before agent-7 replied',
  })
  second.close()
})

/** A platform that fails at the first end of a run that it records, or when it judges a broken reply. */
async function faulty(at: 'recording' | 'judging') {
  const agent = await streamingAgent()
  const redact = createRedact([STAGING_TOKEN])
  const store = openStore(':memory:', redact)
  onTestFinished(() => store.close())
  let fails = true
  const fail = () => {
    if (!fails) return
    fails = false
    throw new Error('planted')
  }
  const end: typeof store.runs.end = (...how) => {
    if (at === 'recording') fail()
    store.runs.end(...how)
  }
  const text = (words: string) => {
    if (at === 'judging') fail()
    return redact.text(words)
  }
  const faults: unknown[] = []
  const platform = testPlatform({
    url: agent.url,
    store: { ...store, runs: { ...store.runs, end } },
    redact: { ...redact, text },
    onFault: error => void faults.push(error),
  })
  return { ...platform, agent, faults }
}

test.each([
  ['recording', 'the staging route'],
  ['recording', 'the dashboard'],
  ['recording', 'the staging route, as a stream'],
  ['judging', 'the staging route'],
  ['judging', 'the dashboard'],
  ['judging', 'the staging route, as a stream'],
] as const)('where the platform fails at %s a run of %s, that run has ended, and says so', async (at, by) => {
  const { agent, call, run, drain, get, faults } = await faulty(at)
  const arrived = agent.nextRun()
  const body = JSON.stringify(task())
  const headers = { accept: by.endsWith('stream') ? 'text/event-stream' : 'application/json' }
  const answer =
    by === 'the dashboard'
      ? call('/api/agents/agent-7/runs', { method: 'POST', body })
      : run(body, { headers })
  const asked = await arrived
  const response = at === 'judging' ? { status: 'success' } : success(asked.taskId)
  if (by.endsWith('stream')) asked.finish(response)
  else asked.reply(response)
  const said = await (await answer).text()
  await drain()
  const { reply, ...record } = await get<RunRecord>('/api/runs/1')
  expect(record).toMatchObject({ status: 'refused', httpStatus: 500, broken: [] })
  expect(JSON.parse(reply)).toMatchObject({ task_id: 'test-1', error: PLATFORM_FAILED })
  if (by !== 'the dashboard') expect(said).toContain(PLATFORM_FAILED)
  expect((await get<{ agents: AgentView[] }>('/api/agents')).agents[0]!.underway).toEqual([])
  expect(faults).toEqual([new Error('planted')])
})

test('a platform that drains begins nothing, and what is in progress can be cancelled', async () => {
  const { call, drain, run, record } = await begun()
  const drained = drain()
  await Promise.resolve()
  for (const path of [
    '/api/agents/agent-7/runs',
    '/api/agents/agent-7/checks',
    '/staging/agents/agent-7/run',
  ]) {
    const refused = await call(path, { method: 'POST', body: JSON.stringify(task()) })
    expect([refused.status, await errorIn(refused)]).toEqual([
      503,
      'the platform is stopping and begins nothing',
    ])
  }
  await call('/api/runs/1/cancel', { method: 'POST' })
  await Promise.all([run.left, drained])
  expect(await record()).toMatchObject({ status: 'cancelled' })
})

test('an agent that the platform does not know runs nothing', async () => {
  const { call } = testPlatform()
  const answer = await call('/api/agents/agent-8/runs', { method: 'POST', body: '{}' })
  expect([answer.status, await errorIn(answer)]).toEqual([
    404,
    'agent: expected one of agent-7, got the string "agent-8"',
  ])
})

// EVIDENCE-OF docs/guides/staging.md: *Run* may be told to run it up to 20 times, one run after another.
test('a task runs so often, one run after another, each under a new id unless it is a test', async () => {
  for (const [taskId, isNew] of [
    ['test-1', false],
    ['0c9db62e-a3fd-4498-a920-50edf0bf8314', true],
  ] as const) {
    let atOnce = 0
    let most = 0
    const agent = await scriptedAgent(async (request, response) => {
      atOnce += 1
      most = Math.max(most, atOnce)
      await new Promise(resolve => setImmediate(resolve))
      replies(success)(request, response)
      atOnce -= 1
    })
    const { call, get } = testPlatform({ url: agent.url })
    const body = JSON.stringify({ ...task(), task_id: taskId, config: { max_tokens: 9 } })
    await call('/api/agents/agent-7/runs?times=4', { method: 'POST', body })
    const record = (id: number) => get<RunRecord>(`/api/runs/${id}`)
    const ended = (id: number) => expect.poll(async () => (await record(id)).status).toBe('success')
    await ended(4)
    const runs = await Promise.all([1, 2, 3, 4].map(record))
    expect(most).toBe(1)
    expect(new Set(runs.map(run => run.taskId)).size).toBe(isNew ? 4 : 1)
    for (const { request, repeats, repeatsLeft, before } of runs) {
      expect(request).toMatchObject({ ...task(), task_id: expect.anything(), config: { max_tokens: 9 } })
      expect([repeats.map(({ id }) => id), repeatsLeft, before]).toEqual([[1, 2, 3, 4], 0, null])
    }
    await call('/api/agents/agent-7/runs', { method: 'POST', body })
    await ended(5)
    expect(await record(5)).toMatchObject({ repeats: [], repeatOf: null, before: 4 })
    expect((await get<RunPage>('/api/runs')).runs).toHaveLength(5)
  }
})

test('a number of times that is none is refused, and no repeat begins once the platform drains', async () => {
  const agent = await streamingAgent()
  const { call, drain, get } = testPlatform({ url: agent.url })
  const begin = (times: string) =>
    call(`/api/agents/agent-7/runs?times=${times}`, { method: 'POST', body: JSON.stringify(task()) })
  for (const times of ['0', '21', '1.5', 'x']) expect((await begin(times)).status).toBe(400)
  const arrived = agent.nextRun()
  await begin('3')
  const run = await arrived
  expect(await get<RunRecord>('/api/runs/1')).toMatchObject({ repeatsLeft: 2 })
  const drained = drain()
  run.finish(success(run.taskId))
  await drained
  expect((await get<RunPage>('/api/runs')).runs).toMatchObject([{ id: 1, status: 'success' }])
})
