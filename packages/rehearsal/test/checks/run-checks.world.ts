import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type CheckOptions, defaultLimits, runChecks } from '@agent-task-service/rehearsal/checks'
import { causeText, type Report } from '@agent-task-service/rehearsal/report'
import { fakeKey } from '@agent-task-service/rehearsal/secrets'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { heldPort } from '@agent-task-service/test-support/held-port'
import {
  type AgentRequest,
  replies,
  scriptedAgent,
  success,
} from '@agent-task-service/test-support/scripted-agent'
import { parseJson } from '@agent-task-service/wire/untrusted'
import { describe, expect, test } from 'vitest'

const WELL = { status: 'ok', agent_id: 'agent-7', agent_name: 'Scripted' }
const quick: CheckOptions['limits'] = { logSettleMs: 50, logLateMs: 0, healthPolls: 5 }
const tasks: CheckOptions['tasks'] = {
  tasks: [{ input: 'What is 6 * 7?', expect: { status: 'success', contains: { all: ['42'] } } }],
}

/** In time that only they move. */
const check = (options: CheckOptions) => fakeTime().until(runChecks(options))

const assertionsOf = ({ groups }: Report) => groups.flatMap(({ assertions }) => assertions)
const find = (report: Report, id: string) => assertionsOf(report).find(assertion => assertion.id === id)

/** An agent that does its one task, fails the rest, and answers 400 to what is not JSON. */
const scripted = (hear: (request: AgentRequest) => void = () => {}) =>
  scriptedAgent((request, response) => {
    hear(request)
    const body = parseJson(String(request.body)) as { task_id?: string; input?: unknown } | undefined
    const { task_id = '', input } = body ?? {}
    const isTask = String(input).includes('6 * 7')
    const reply = isTask ? success(task_id, '42') : { ...success(task_id), status: 'error', error: 'no task' }
    const isHealth = request.path === '/health'
    response.writeHead(isHealth || body ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isHealth ? WELL : reply))
  })

/** An agent that answers only `/health`. */
const silent = () =>
  scriptedAgent(({ path }, response) => {
    if (path !== '/health') return
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(WELL))
  })

// EVIDENCE-OF docs/reference/acceptance-checks.md: One is enough; what needs two is advisory then.
test.each([
  ['the only one', [], { mandatory: false, detail: 'needs 2 tasks' }],
  ['the only one of two that it solves', ['What is 6 * 8?'], { mandatory: true }],
])('of a task that is %s: whether what needs another counts', async (_what, others, found) => {
  const { url } = await scripted()
  const all = others.map(input => ({ ...tasks.tasks[0]!, input }))
  const given = { tasks: [...tasks.tasks, ...all] }
  const report = await check({ url, agentId: 'agent-7', only: ['run'], tasks: given, limits: quick })
  expect(find(report, 'run.same_test_id')).toMatchObject({ verdict: 'not_run', ...found })
})

test('an agent that does none of the tasks that ship is said to need its own', async () => {
  const { url } = await scriptedAgent(({ path, body }, response) => {
    const { task_id } = (parseJson(String(body)) ?? {}) as { task_id: string }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(path === '/health' ? WELL : success(task_id, 'Our opening hours are')))
  })
  const time = fakeTime()
  const asked: CheckOptions = { url, agentId: 'agent-7', only: ['result'], limits: quick }
  const { cause, causeId } = await time.until(runChecks(asked))
  expect(cause).toMatch(/^None of the \d+ tasks that ship is done right\. .* --tasks FILE$/)
  expect(causeId).toBe('result.1')
  const own = await time.until(runChecks({ ...asked, tasks }))
  expect(own.cause).toMatch(/\(result\.1\)/)
  expect(own.causeId).toBe('result.1')
})

test('an agent that goes away during its checks is told first, before what failed', async () => {
  let runs = 0
  const { url } = await scriptedAgent((request, response) => {
    replies(success)(request, response)
    if (request.path === '/run') runs += 1
    if (runs === 5) (response.socket as Socket & { server: Server }).server.close()
  })
  const report = await check({ url, agentId: 'agent-7', only: ['run'], tasks, limits: quick })
  const [first, ...others] = report.cause!.split('\n')
  expect(first).toMatch(/^The agent no longer accepts connections: \d+ of the assertions were not run$/)
  const { causeId = '' } = report
  expect(others.join()).toBe(
    find(report, causeId)!.verdict === 'fail' ? causeText(find(report, causeId)!) : '',
  )
})

test('the report names its groups before the agent has answered anything', async () => {
  const agent = await scriptedAgent(() => {})
  const ending = new AbortController()
  const first = Promise.withResolvers<Report>()
  const onProgress = first.resolve
  const checks = check({
    url: agent.url,
    only: ['run'],
    limits: quick,
    signal: ending.signal,
    onProgress,
  })
  const texts = { title: expect.any(String), expected: expect.any(Number) }
  const group = { id: 'run', ...texts, state: 'waiting', assertions: [] }
  expect(await first.promise).toMatchObject({ verdict: null, requests: 0, groups: [group] })
  ending.abort()
  await checks
})

test('an agent that cannot be reached has one assertion, and no other is expected any more', async () => {
  const states: Report[] = []
  const url = `http://127.0.0.1:${await heldPort()}`
  const report = await check({ url, only: ['run'], onProgress: state => states.push(state) })
  expect(states[0]!.groups).toMatchObject([{ id: 'run', state: 'waiting' }])
  expect(states[0]!.groups[0]!.expected).toBeGreaterThan(20)
  expect(states[1]!.groups).toMatchObject([{ id: 'health', expected: 1, assertions: [] }])
  expect(report.groups).toMatchObject([{ id: 'health', expected: 1, assertions: [{ verdict: 'fail' }] }])
})

test('an agent is given up when its runs get no reply', async () => {
  const { url } = await silent()
  const limits = { ...quick, runTimeoutMs: 100, healthPolls: 3 }
  const report = await check({ url, limits, tasks, only: ['run', 'result', 'limits'] })
  expect(report.verdict).toBe('failed')
  expect(find(report, 'limits.run_timeout')?.verdict).toBe('fail')
  // Three runs before it is given up, and one more for each further group.
  expect(report.requests).toBeLessThan(10)
})

describe('what was not run', () => {
  test('a log that does not grow proves nothing', async () => {
    const { url } = await scripted()
    const log = { name: 'the file old.log', read: async () => 'from yesterday' }
    const report = await check({ url, log, limits: quick, tasks, only: ['logs'] })
    expect(report.verdict).toBe('incomplete')
    expect(find(report, 'logs.input')?.detail).toMatch(/^the file old.log did not grow with the runs/)
  })

  test('an unreadable log says why', async () => {
    const { url } = await scripted()
    const log = { name: 'the file x.log', read: () => Promise.reject(new Error('ENOENT')) }
    const report = await check({ url, log, limits: quick, tasks, only: ['logs'] })
    expect(find(report, 'logs.grow')?.detail).toBe('the file x.log could not be read: ENOENT')
  })

  test("the platform's part, without a platform", async () => {
    const { url } = await scripted()
    const report = await check({ url, limits: quick, tasks, only: ['run'] })
    expect(find(report, 'run.staging_route')).toMatchObject({
      verdict: 'not_run',
      mandatory: false,
      detail: 'not rehearsed here: run the checks from the dashboard (npm run staging)',
    })
  })

  test('without any mandatory assertion there is no pass either', async () => {
    const { url } = await scripted()
    expect((await check({ url, only: [] })).verdict).toBe('incomplete')
  })
})

test('an agent with another name is not the requested one', async () => {
  const { url } = await scripted()
  const report = await check({ url, agentId: 'agent-8', limits: quick, tasks, only: ['health'] })
  expect(find(report, 'health.expected_id')).toMatchObject({
    verdict: 'fail',
    detail: 'expected agent-8, got "agent-7"',
  })
  expect(report.verdict).toBe('failed')
})

test('detects a leaked token, and does not repeat it', async () => {
  const token = fakeKey()
  let text = ''
  const { url } = await scriptedAgent((request, response) => {
    const authorization = String(request.headers.authorization)
    text += `${Buffer.from(authorization).toString('base64')}\n`
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...WELL, authorization }))
  })
  const log = { name: 'the log', read: async () => text }
  const report = await check({ url, token, log, limits: quick, tasks, only: ['logs', 'run'] })
  expect(find(report, 'logs.token')?.detail).toMatch(/^found the agent's bearer token, in base64: /)
  expect(find(report, 'logs.replies')?.detail).toMatch(/^found the value of bearer token, verbatim: /)
  expect(JSON.stringify(report)).not.toContain(token)
  expect(JSON.stringify(report)).not.toContain(Buffer.from(token).toString('base64').slice(0, 20))
})

test('reports progress at every change, and ends with the report', async () => {
  const { url } = await scripted()
  const states: Report[] = []
  const report = await check({
    url,
    limits: quick,
    tasks,
    only: ['health', 'result'],
    onProgress: state => states.push(state),
  })
  expect(states[0]?.groups.map(({ state }) => state)).toEqual(['waiting', 'waiting'])
  expect(states.some(({ groups: [first] }) => first?.state === 'underway')).toBe(true)
  expect(states.every(({ verdict }) => verdict === null)).toBe(true)
  expect(states.at(-1)?.groups).toEqual(report.groups)
  expect(states.some(({ means }) => means)).toBe(false)
  // Those of every run of the scripted agent.
  const { input_tokens: inputTokens, output_tokens: outputTokens, steps } = success('test-1').metrics
  expect(report.means).toMatchObject({ inputTokens, outputTokens, steps })
  const counts = states.map(state => assertionsOf(state).length)
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  // From the first moment on.
  const expected = states.map(({ groups }) => groups.map(group => group.expected))
  expect(new Set(expected.map(String))).toEqual(
    new Set([String(report.groups.map(({ assertions }) => assertions.length))]),
  )
})

test('checks can be stopped while runs overlap', async () => {
  const ending = new AbortController()
  let held = 0
  const agent = await scriptedAgent(({ path, body }, response) => {
    response.setHeader('content-type', 'application/json')
    if (path === '/health') return void response.end(JSON.stringify(WELL))
    const { task_id } = JSON.parse(body.toString())
    if (path === '/run' && ++held === 1) return void response.end(JSON.stringify(success(task_id, '42')))
    if (held === 1 + defaultLimits.burst) ending.abort()
  })
  const report = await check({ ...agent, tasks, only: ['health'], limits: quick, signal: ending.signal })
  expect(find(report, 'health.under_load')).toMatchObject({
    verdict: 'not_run',
    detail: 'the checks were stopped first',
  })
})

test('stopped checks report the rest as not run', async () => {
  const ending = new AbortController()
  const agent = await scripted(({ path }) => {
    if (path === '/run') ending.abort()
  })
  const report = await check({
    url: agent.url,
    tasks,
    limits: quick,
    only: ['run'],
    signal: ending.signal,
  })
  expect(report.verdict).toBe('incomplete')
  expect(new Set(assertionsOf(report).map(({ verdict, detail }) => `${verdict}: ${detail}`))).toEqual(
    new Set(['not_run: the checks were stopped first']),
  )
  expect(agent.requests.filter(({ path }) => path === '/run')).toHaveLength(1)
})

test('all checks together have a time limit', async () => {
  const { url } = await silent()
  const report = await check({ url, tasks, limits: quick, totalMs: 300, only: ['run'] })
  expect(find(report, 'run.works')?.detail).toMatch(
    /^the 0.3 s for all checks were over \(--minutes 1 allows more, /,
  )
})

test('a task that failed beside others does not bring all others at once', async () => {
  let [inProgress, most] = [0, 0]
  const { url } = await scriptedAgent(({ path, body }, response) => {
    response.setHeader('content-type', 'application/json')
    if (path === '/health') return void response.end(JSON.stringify(WELL))
    most = Math.max(most, ++inProgress)
    const { task_id, input } = parseJson(String(body)) as { task_id: string; input: string }
    setTimeout(() => {
      inProgress -= 1
      response.end(JSON.stringify(success(task_id, input === '3' ? 'a wrong answer' : input)))
    }, 1_000)
  })
  const many = Array.from({ length: 20 }, (_, index) => ({
    input: String(index),
    expect: { status: 'success' as const, equals: String(index) },
  }))
  const report = await check({ url, tasks: { tasks: many }, limits: quick, only: ['result'], concurrency: 3 })
  expect(assertionsOf(report).filter(({ verdict }) => verdict !== 'pass')).toMatchObject([{ id: 'result.4' }])
  expect(most).toBe(3)
})

test('invalid requests have less time than a run: a hang costs little', async () => {
  const { url } = await scriptedAgent(({ path, body }, response) => {
    const task = parseJson(String(body)) as { task_id?: string } | undefined
    response.setHeader('content-type', 'application/json')
    if (path === '/health') response.end(JSON.stringify(WELL))
    else if (task?.task_id) response.end(JSON.stringify(success(task.task_id, '42')))
  })
  const limits = { ...quick, runTimeoutMs: 55_000, refusalMs: 50 }
  const report = await check({ url, tasks, limits, only: ['health', 'input'] })
  expect(find(report, 'input.missing_task_id')?.detail).toMatch(/, but no complete reply within 0.05 s$/)
  expect(defaultLimits.refusalMs).toBeLessThanOrEqual(10_000)
  expect(defaultLimits.leastTotalMs).toBeLessThanOrEqual(5 * 60_000)
})
