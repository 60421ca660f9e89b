import type { ServerResponse } from 'node:http'
import { success } from '@agent-task-service/test-support/scripted-agent'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import { expect } from 'vitest'
import { stubReplicas } from '../stub-replicas.ts'
import { beginRun, overhangOf, runTask, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'

const TASK = 'Pay what is due'

function send(response: ServerResponse, type: string, data: object): void {
  if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream' })
  response.write(`event: ${type}\ndata: ${JSON.stringify({ v: 1, ...data })}\n\n`)
}

/** Model calls and tool calls in turn, `count` of them, a tenth of a second each. */
function sendSteps(response: ServerResponse, from: number, count: number, more: object = {}): void {
  for (let step = from; step < from + count; step += 1) {
    const [begun, ended] = [
      { at: step / 10, step },
      { at: (step + 1) / 10, step, ...more },
    ]
    const used = { input_tokens: 500, output_tokens: 20, cost_usd: 0.001, tool_calls: ['pay'] }
    if (step % 2 === 1) {
      send(response, 'model_started', { ...begun, model: 'model-a', attempt: 1 })
      send(response, 'model_finished', { ...ended, model: 'model-a', ...used })
    } else {
      send(response, 'tool_started', { ...begun, tool: 'pay', call_id: `${step}`, arguments: '{}' })
      send(response, 'tool_finished', { ...ended, tool: 'pay', call_id: `${step}`, result: 'paid' })
    }
  }
}

/** A platform whose agent has two replicas, each of which says what the test says. */
async function rehearsal(parts: Parameters<typeof startRehearsal>[0] = {}) {
  const arrived = [0, 1, 2].map(() => Promise.withResolvers<ServerResponse>())
  const { agent, requests } = await stubReplicas(2, (response, nth) => arrived[nth]!.resolve(response))
  const { url } = await startRehearsal({ agents: [agent], ...parts })
  const taskId = () => JSON.parse(requests[0]!.body.toString()).task_id as string
  return { url, taskId, arrival: (nth: number) => arrived[nth]!.promise }
}

// EVIDENCE-OF docs/guides/staging.md: *Stop this replica* kills the process that has the task
test.for([390, 1440])(
  'a replica is stopped under a run, and another goes on, at %i pixels',
  async (width, { open }) => {
    const { url, taskId, arrival } = await rehearsal()
    const page = await open(`${url}/#/run/agent-7`, { width })
    await runTask(page, TASK)
    const first = await arrival(0)
    sendSteps(first, 1, 3)
    send(first, 'tool_started', { at: 0.5, step: 4, tool: 'mail', call_id: '4', arguments: '{}' })
    const panel = page.getByRole('region', { name: 'Replicas of run 1' })
    await page.getByRole('button', { name: /mail/ }).waitFor()
    expect(await violationsOn(page)).toEqual([])

    await panel.getByRole('button', { name: 'Stop this replica' }).press('Enter')
    const second = await arrival(1)
    await panel.getByText('Replica 2 has the task, and waits until it may go on.').waitFor()
    expect(await panel.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Replica 1\s+4 steps · lost after \d/),
      expect.stringMatching(/^Replica 2\s*$/),
    ])
    sendSteps(second, 1, 3, { replayed: true })
    sendSteps(second, 4, 1)
    await panel.getByText('Not paid again: 2 model calls and 1 tool call, 1,040 tokens and $0.002').waitFor()
    await panel.getByText('3 steps replayed · 1 new step').waitFor()
    await page.getByRole('button', { name: /4 · pay/ }).waitFor()
    expect(await violationsOn(page)).toEqual([])
    await panel.getByRole('button', { name: 'Stop this replica' }).focus()

    second.end(
      `event: run_finished\ndata: ${JSON.stringify({ v: 1, at: 0.6, response: success(taskId(), 'Paid.') })}\n\n`,
    )
    await page.getByRole('group', { name: 'Output' }).getByText('Paid.').waitFor()
    expect(await panel.getByRole('button').count()).toBe(0)
    // The focus of the button that is gone is the run's.
    expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('Run 1')

    await page.goto(`${url}/#/runs/1`)
    await panel.getByText(/went on after \d/).waitFor()
    const lanes = panel.getByRole('listitem')
    const [one, two, lost, hatched, call] = await Promise.all(
      [
        lanes.nth(0).locator('.lane'),
        lanes.nth(1).locator('.lane'),
        lanes.nth(0).locator('.lost'),
        lanes.nth(1).locator('.hatched'),
        lanes.nth(1).locator('.call').last(),
      ].map(async part => (await part.boundingBox())!),
    )
    // One scale: first what was lost, then what was replayed, then what is new.
    expect([two!.x, two!.width]).toEqual([one!.x, one!.width])
    expect(lost!.x).toBeGreaterThan(one!.x)
    expect(hatched!.width).toBeGreaterThan(0)
    expect(hatched!.x).toBeGreaterThanOrEqual(lost!.x)
    expect(call!.x).toBeGreaterThanOrEqual(hatched!.x + hatched!.width - 1)
    expect(await overhangOf(page)).toBe(0)
    expect(await violationsOn(page)).toEqual([])
  },
)

test('a test-<n> task begins anew at the other replica, and the page says why', async ({ open }) => {
  const { url, taskId, arrival } = await rehearsal()
  const page = await open(`${url}/#/run/agent-7`)
  await page.getByText('Options').click()
  await page.getByLabel('Task id').fill('test-5')
  await runTask(page, TASK)
  sendSteps(await arrival(0), 1, 1)
  await page.getByRole('button', { name: 'Stop this replica' }).click()
  const second = await arrival(1)
  sendSteps(second, 1, 1)
  await page.getByText('Nothing was replayed, since replicas share no test-<n> task').waitFor()
  await page.getByRole('button', { name: 'Stop this replica' }).click()
  const third = await arrival(2)
  sendSteps(third, 1, 1)
  await page.getByText('Replica 1, started again').waitFor()
  third.end(`event: run_finished\ndata: ${JSON.stringify({ v: 1, at: 1, response: success(taskId()) })}\n\n`)
  await page.getByText('The reply follows the contract.').waitFor()
})

test('while checks of an agent run, the page offers to stop none of its replicas', async ({ open }) => {
  const checks = Promise.withResolvers<never>()
  const { url, taskId, arrival } = await rehearsal({ runChecks: () => checks.promise })
  const page = await open(`${url}/#/run/agent-7`)
  await runTask(page, TASK)
  const run = await arrival(0)
  const stop = page.getByRole('button', { name: 'Stop this replica' })
  await stop.waitFor()
  await page.request.post(`${url}/api/agents/agent-7/checks`)
  await stop.waitFor({ state: 'detached' })
  checks.reject(new Error('no checks in this test'))
  await stop.waitFor()
  run.end(JSON.stringify(success(taskId())))
})

test('an agent without replicas has none to stop, and cannot say that it has lost one', async ({ open }) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(`${url}/#/run/agent-7`)
  const run = await beginRun(page, agent, TASK)
  run.send('model_started', { at: 0.1, step: 1, model: 'model-a', attempt: 1 })
  run.send('replica_lost', { at: 0.2, replica: 1, next: 2, next_at: 0.3 })
  run.send('tool_started', { at: 0.4, step: 2, tool: 'pay', call_id: '2', arguments: '{}' })
  await page.getByRole('button', { name: /2 · pay/ }).waitFor()
  expect(await page.getByRole('button', { name: /1 · model-a/ }).count()).toBe(1)
  expect(await page.getByText('Replica').count()).toBe(0)
  run.finish(success(run.taskId))
})
