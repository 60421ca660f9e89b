import { runChecks } from '@agent-task-service/rehearsal/checks'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { parseJson } from '@agent-task-service/wire/untrusted'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Busy, OwnDelay } from '../../own-delay.ts'
import { assertionsOf } from './faulty-agents/expect.ts'

const BUSY: Busy = {
  share: 0.6,
  why: 'this machine was too busy: these checks waited 60% of the time for a processor',
}

/** From now on the machine is as busy as this says. */
function machine(isBusy: () => Busy | undefined) {
  const spy = vi.spyOn(OwnDelay.prototype, 'during').mockImplementation(async work => {
    const result = await work(isBusy)
    return { result, busy: isBusy() }
  })
  onTestFinished(() => spy.mockRestore())
}

/** Checks an agent of which some requests, by path and number, get no reply. */
async function check(isLost: (path: string, count: number) => boolean) {
  const counts: Record<string, number> = {}
  const { url } = await scriptedAgent(({ path, body }, response) => {
    counts[path] = (counts[path] ?? 0) + 1
    if (isLost(path, counts[path])) return
    const { task_id, input } = (parseJson(String(body)) ?? {}) as { task_id?: string; input?: unknown }
    const isTask = task_id !== undefined && typeof input === 'string'
    const reply =
      path === '/health' ? { status: 'ok', agent_id: 'agent-7', agent_name: 'Late' } : success(task_id ?? '')
    response.writeHead(path === '/health' || isTask ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(reply))
  })
  const tasks = { tasks: [{ input: 'Hi', expect: { status: 'success' as const } }] }
  const report = await fakeTime().until(
    runChecks({ url, tasks, only: ['health'], limits: { healthPolls: 3 } }),
  )
  const failed = assertionsOf(report).filter(one => one.verdict !== 'pass' && one.mandatory)
  return {
    verdict: report.verdict,
    failed: failed.map(({ id, verdict, detail }) => `${verdict} ${id}: ${detail}`),
  }
}

describe('on a machine that is too busy', () => {
  /** One of those during runs: three come before. */
  const isFifthPoll = (path: string, count: number) => path === '/health' && count === 5
  const lost = 'no complete reply within 5 s'

  test('a late poll is asked again', async () => {
    machine(() => BUSY)
    expect(await check(isFifthPoll)).toEqual({ verdict: 'passed', failed: [] })
  })

  test('which otherwise is a fault', async () => {
    machine(() => undefined)
    expect((await check(isFifthPoll)).failed).toEqual([
      expect.stringMatching(`^fail health.under_load: .*${lost}`),
    ])
  })

  test('what is late each time is not run', async () => {
    machine(() => BUSY)
    const { verdict, failed } = await check(path => path === '/health')
    expect(verdict).toBe('incomplete')
    expect(new Set(failed.map(text => text.replace(/^\S+ \S+ /, '')))).toEqual(
      new Set([`${BUSY.why}, and ${lost}`]),
    )
  })
})

test.each([
  ['busy', BUSY, 'pass'],
  ['not busy', undefined, 'fail'],
] as const)('an early timeout on a machine that is %s', async (_what, busy, verdict) => {
  machine(() => busy)
  const { url } = await scriptedAgent(({ body }, response) => {
    const { task_id = '' } = (parseJson(String(body)) ?? {}) as { task_id?: string }
    const metrics = { duration_sec: 0.01, input_tokens: 1, output_tokens: 1, steps: 1 }
    const late = { task_id, status: 'timeout', output: '', metrics, error: 'the model took too long' }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(late))
  })
  const tasks = { tasks: [{ input: 'Hi', expect: { status: 'success' as const } }] }
  const report = await fakeTime().until(runChecks({ url, tasks, only: ['run'] }))
  expect(assertionsOf(report).find(({ id }) => id === 'run.timeout')).toMatchObject({ verdict })
})

describe('the delay of this process', () => {
  let [now, used] = [0, 0]
  /** Lets so many milliseconds pass, of which this process runs for some. */
  const pass = async (milliseconds: number, running: number) => {
    now += milliseconds
    used += 1000 * running
  }
  const clock = () => {
    const spies = [
      vi.spyOn(performance, 'now').mockImplementation(() => now),
      vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: used, system: 0 })),
    ]
    onTestFinished(() => {
      for (const spy of spies) spy.mockRestore()
    })
  }

  test('is its time without a processor', async () => {
    clock()
    const { result, busy } = await new OwnDelay().during(async () => {
      await pass(1_000, 380)
      return 'done'
    })
    expect(result).toBe('done')
    expect(busy).toEqual(BUSY)
  })

  test('is none if it ran itself, or had nothing to do', async () => {
    clock()
    const delay = new OwnDelay()
    expect(await delay.during(() => pass(1_000, 1_000))).toMatchObject({ busy: undefined })
    expect(await delay.during(() => pass(15, 0))).toMatchObject({ busy: undefined })
  })
})
