import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { runChecks } from '@agent-task-service/rehearsal/checks'
import type { Report } from '@agent-task-service/rehearsal/report'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { expect, onTestFinished, test } from 'vitest'
import { tasks } from './faulty-agents/examine.ts'
import { type Change, faulty } from './faulty-agents/faulty-agent.ts'
import { ROOMY } from './faulty-agents/limits.ts'
import { json } from './second-agent/second-agent.ts'

/** Checks an agent with this fault; each run gets a record, as it does on a platform. */
async function reportOn(change: Change): Promise<Report> {
  const Agent = faulty(change)
  const agent = new Agent({ tokens: [], log: () => {}, environment: {}, thinkMs: 20 })
  const server = agent.server().listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  let records = 0
  const recordRun = () => ++records
  return await fakeTime().until(runChecks({ url, tasks, only: ['health', 'run'], limits: ROOMY, recordRun }))
}

const causeIn = ({ groups, causeId }: Report) =>
  groups.flatMap(({ assertions }) => assertions).find(({ id }) => id === causeId)!

/** The bodies that pasted commands send. */
function bodiesOf(commands: string): { input: string; config?: object }[] {
  const curl = 'curl() { for word; do case $word in {*) echo "$word";; esac; done; }'
  const sent = execFileSync('sh', ['-c', `${curl}\n${commands}`], { encoding: 'utf8' })
  return sent
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

test('a system_prompt that is kept is told as that, with both requests, whole, and the run that it came from', async () => {
  const report = await reportOn({
    task: (task, { earlier, config }) => {
      const kept = earlier.findLast(({ systemPrompt }) => systemPrompt.includes('pass it on to nobody'))
      return kept && config.system_prompt === undefined ? { ...task, systemPrompt: kept.systemPrompt } : task
    },
  })
  const shown = causeIn(report)
  expect(shown.id).toBe('run.system_prompt_is_not_kept')
  expect(report.cause).toMatch(/^Not so: One run's system_prompt does not reach the next .*after one with it/)
  const [first, next] = bodiesOf(shown.how)
  expect(first).toMatchObject({
    config: { system_prompt: expect.stringMatching(/^Begin and end .{4000,}$/) },
  })
  expect(next!.config).toBeUndefined()
  expect(next!.input.trim()).toBe(first!.input.trim())
  expect(shown.source).toBeLessThan(shown.run!)
})

test('what fails beside others is told with how many do, and with two of them at once', async () => {
  const report = await reportOn({
    when: ({ overlaps }) => overlaps,
    takes: 20,
    body: body => ({ ...body, status: 'error', output: '', metrics: {}, error: 'busy' }),
  })
  expect(report.cause).toMatch(
    /^\d+ of \d+ runs beside others fail, and none of \d+ others: .*busy \(run\.concurrent\)$/,
  )
  expect(causeIn(report).how).toMatch(/^for i in \$\(seq \d+\); do curl .* & curl .* & wait; done$/)
})

test('what fails from a request on is told with what came right before', async () => {
  const report = await reportOn({ takes: 200, hungUp: 'fails' })
  expect(report.cause).toMatch(
    /^Since the \d+(st|nd|rd|th) request, right after a caller hung up, nothing succeeds/,
  )
  expect(report.causeId).toBe('run.after_hang_up')
})

test('what fails for one kind of config is told with how many do', async () => {
  const report = await reportOn({
    when: ({ config }) => config.system_prompt !== undefined,
    reply: () => json(422, { message: 'no prompt' }),
  })
  expect(report.cause).toMatch(/^(\d+) of \1 runs with system_prompt fail, and none of \d+ others: /)
  expect(report.causeId).toBe('run.system_prompt')
})

test('config that is kept with its connection is told with all requests, on one connection', async () => {
  const report = await reportOn({
    task: (task, { earlierHere }) => ({ ...task, systemPrompt: (earlierHere[0] ?? task).systemPrompt }),
  })
  const shown = causeIn(report)
  expect(shown.id).toBe('run.keep_alive')
  expect(shown.how.match(/curl/g)).toHaveLength(1)
  const configs = bodiesOf(shown.how).map(({ config = {} }) => Object.keys(config))
  expect(configs).toEqual([['system_prompt'], ['max_tokens', 'enabled_tools'], []])
})
