import { type CheckOptions, defaultLimits, runChecks } from '@agent-task-service/rehearsal/checks'
import type { Report } from '@agent-task-service/rehearsal/report'
import { isAtLength, some } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { parseJson } from '@agent-task-service/wire/untrusted'
import { expect, test } from 'vitest'
import { examine } from './faulty-agents/examine.ts'
import { assertionsOf, expectSound } from './faulty-agents/expect.ts'
import { soundAgents } from './faulty-agents/sound-agents.ts'
import type { Task } from './second-agent/request.ts'
import { SecondAgent } from './second-agent/second-agent.ts'

/** More come from callers that hang up. */
const HANG_UPS = 10

const secondsOf = ({ startedAt, finishedAt }: { startedAt: string; finishedAt: string | null }) =>
  (Date.parse(finishedAt!) - Date.parse(startedAt)) / 1000

/** Seconds of a run, and of all checks at most. */
const paces: [runSeconds: number, most: number][] = [
  [1, 50],
  [8.5, 8 * 60],
  [25, 25 * 60],
]

test.for(some(paces, 3))(
  'an agent of %d s a run is checked whole in %d s, about as long as the start of the report says',
  { timeout: 120_000 },
  async ([runSeconds, most]) => {
    let [runs, inProgress, mostInProgress] = [0, 0, 0]
    class Agent extends SecondAgent {
      override async perform(task: Task) {
        runs += 1
        mostInProgress = Math.max(mostInProgress, ++inProgress)
        return await super.perform(task).finally(() => {
          inProgress -= 1
        })
      }
    }
    const settings = { thinkMs: 1000 * runSeconds }
    const report = await fakeTime().until(
      examine({ does: 'thinks', Agent, settings, limits: defaultLimits, stalls: true }),
    )
    expectSound(report)
    const seconds = secondsOf(report)
    expect(seconds).toBeLessThan(most)
    // A busy machine lets the clock run on by steps between the end of a run and its being read.
    expect(report.estimate!.runSeconds / runSeconds).toBeGreaterThanOrEqual(1)
    expect(report.estimate!.runSeconds / runSeconds).toBeLessThan(1.25)
    expect(report.estimate!.seconds / seconds).toBeGreaterThan(0.75)
    expect(report.estimate!.seconds / seconds).toBeLessThan(1.25)
    expect(mostInProgress).toBeLessThanOrEqual(HANG_UPS)
    expect(runs).toBeLessThanOrEqual(2 * report.estimate!.runs!)
  },
)

test('where one run in ten is slow, and keeps others waiting, the time is told again', {
  timeout: 120_000,
}, async () => {
  let runs = 0
  class Agent extends SecondAgent {
    override async perform(task: Task) {
      runs += 1
      if (runs % 10 === 0) await new Promise(resolve => setTimeout(resolve, 20_000))
      return await super.perform(task)
    }
  }
  const settings = { thinkMs: 240 }
  const report = await fakeTime().until(
    examine({ does: 'is slow now and then', Agent, settings, limits: defaultLimits }),
  )
  const seconds = secondsOf(report)
  expect(report.estimate!.seconds / seconds).toBeLessThan(0.2)
  const told = report.groups.flatMap(({ estimate }) => estimate?.seconds ?? [])
  expect(told[0]! / seconds).toBeGreaterThan(0.6)
  expect(told[0]! / seconds).toBeLessThan(1.5)
})

if (isAtLength)
  test('an agent of 8.5 s that takes one run at a time has the time that it needs', {
    timeout: 120_000,
  }, async () => {
    const alone = soundAgents.find(({ does }) => does.startsWith('accepts one run at a time'))!
    const settings = { thinkMs: 8_500 }
    const report = await fakeTime().until(examine({ ...alone, settings, limits: defaultLimits }))
    expectSound(report)
    expect(secondsOf(report)).toBeGreaterThan(2 * report.estimate!.seconds)
  })

/** Checks an agent by so many tasks, one at a time, of which the first takes a second, and the others so many. */
async function checkTasks(count: number, otherSeconds: number, options?: Partial<CheckOptions>) {
  let runs = 0
  const { url } = await scriptedAgent(({ path, body }, response) => {
    response.setHeader('content-type', 'application/json')
    const health = { status: 'ok', agent_id: 'agent-7', agent_name: 'Slow' }
    if (path === '/health') return void response.end(JSON.stringify(health))
    const { task_id, input } = parseJson(String(body)) as { task_id: string; input: string }
    runs += 1
    setTimeout(
      () => response.end(JSON.stringify(success(task_id, input))),
      1000 * (runs === 1 ? 1 : otherSeconds),
    )
  })
  const tasks = Array.from({ length: count }, (_, index) => ({
    input: String(index),
    expect: { status: 'success' as const, equals: String(index) },
  }))
  const asked: CheckOptions = { url, tasks: { tasks }, only: ['result'], concurrency: 1, ...options }
  return await fakeTime().until(runChecks(asked))
}

test('the time that is expected follows the pace of the runs so far', async () => {
  const states: Report[] = []
  const report = await checkTasks(40, 4, { onProgress: state => states.push(state) })
  const after = (runs: number) => states.find(state => assertionsOf(state).length === runs)!
  const seconds = secondsOf(report)
  expect(states[0]!.expectedSeconds).toBeUndefined()
  // The first run takes a quarter of the others' time.
  expect(report.estimate!.seconds / seconds).toBeLessThan(0.3)
  for (const runs of [10, 20, 30]) {
    const { expectedSeconds } = after(runs)
    expect(expectedSeconds! / seconds, `after ${runs} runs`).toBeCloseTo(1, 0.5)
  }
  expect(report.expectedSeconds).toBeUndefined()
})

test('what will take much longer than was told is told again', async () => {
  const report = await checkTasks(40, 4, { only: ['result', 'limits'] })
  expect(report.estimate).toMatchObject({ runSeconds: 1 })
  const [result, limits] = report.groups
  expect(result!.estimate).toBeUndefined()
  expect(limits!.estimate!.seconds / secondsOf(report)).toBeCloseTo(1, 0.5)
  expect(limits!.estimate!.runSeconds).toBeCloseTo(3.9, 0)
})

if (isAtLength)
  test('the time grows with runs that take longer than the first', async () => {
    const report = await checkTasks(100, 4)
    expect(report.verdict).toBe('passed')
    expect(secondsOf(report)).toBeGreaterThan(defaultLimits.leastTotalMs / 1000)
  })

test('a limit that is too short is told at the start, and what did not fit is not run', async () => {
  const log = { name: 'the log', read: async () => '' }
  const start = { readyMs: 1, log, secrets: new Map<string, string>(), ended: new Promise<never>(() => {}) }
  const report = await checkTasks(100, 1, { totalMs: 60_000, start })
  expect(report).toMatchObject({ verdict: 'incomplete', estimate: { runSeconds: 1, limitSeconds: 60 } })
  expect(report.estimate!.seconds).toBeGreaterThan(100)
  expect(secondsOf(report)).toBeCloseTo(60, 0)
  const verdicts = assertionsOf(report).map(({ verdict }) => verdict)
  expect(verdicts.lastIndexOf('pass')).toBe(58)
  const reasons = new Set(assertionsOf(report).map(({ detail }) => detail))
  expect([...reasons]).toEqual([
    null,
    'the 60 s for all checks were over (--minutes 2 allows more, --concurrency N runs more at a time, --only GROUP fewer in all)',
  ])
})
