import { success } from '@agent-task-service/test-support/scripted-agent'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { beginRun, overhangOf, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'

const TASK = 'What is 15% of 240?'

/** A run that was started from a page, after its first step. */
async function startedFrom(page: Page, agent: Awaited<ReturnType<typeof streamingAgent>>) {
  await page.getByRole('link', { name: 'Run a task on agent-7' }).click()
  const run = await beginRun(page, agent, TASK)
  run.send('model_started', { at: 0.1, step: 1, model: 'model-a', attempt: 1 })
  await page.getByText('Model call 1 · model-a').waitFor()
  return run
}

test('a reload loses nothing of a run: its steps so far, those that follow, and its result', async ({
  open,
}) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(url)
  const run = await startedFrom(page, agent)
  await page.reload()
  const panel = page.getByRole('region', { name: 'The run' })
  await panel.getByText('Model call 1 · model-a').waitFor()
  await panel.getByText('Model call 1 · model-a').click()
  await panel.getByText('No text: in progress.').waitFor()
  run.send('tool_started', { at: 0.6, step: 2, tool: 'calculator', call_id: 'c', arguments: '{}' })
  await panel.getByText('Tool call 2 · calculator').waitFor()
  await page.reload()
  await panel.getByText('Tool call 2 · calculator').waitFor()
  run.finish(success(run.taskId, 'It is 36.'))
  await panel.getByText('The reply follows the contract.').waitFor()
  await page.reload()
  await panel.getByRole('group', { name: 'Output' }).getByText('It is 36.').waitFor()
})

test('another tab shows a run in progress on every view, with its steps as they come, and may cancel it', async ({
  open,
}) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const first = await open(url)
  const run = await startedFrom(first, agent)

  const second = await open(url, { width: 390 })
  await second.getByRole('link', { name: /^Run.*in progress/ }).waitFor()
  const latest = second.getByRole('list', { name: 'Latest runs' }).getByRole('listitem')
  await latest.getByText('1 step so far').waitFor()
  await second.getByRole('link', { name: 'History' }).click()
  const row = second.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  await row.getByText('in progress').waitFor()
  run.send('tool_started', { at: 0.6, step: 2, tool: 'calculator', call_id: 'c', arguments: '{"e":"1"}' })
  await row.getByText('2 steps so far').waitFor()
  expect(await violationsOn(second)).toEqual([])
  await row.getByRole('link', { name: TASK }).click()
  await second.getByText('Tool call 2 · calculator').click()
  run.send('tool_finished', { at: 0.7, step: 2, tool: 'calculator', failed: false, result: 'a result' })
  await second.getByText('a result').waitFor()
  expect(await violationsOn(second)).toEqual([])
  expect(await overhangOf(second)).toBe(0)

  await second.getByRole('button', { name: 'Cancel run 1' }).click()
  await run.left
  for (const page of [second, first])
    await page.getByRole('group', { name: 'Error' }).getByText('it was cancelled before agent-7').waitFor()
  await first.getByRole('button', { name: 'Run', exact: true }).waitFor()
})

test.for([390, 1440])(
  'a second run begins beside the first, at %i pixels, and a third in place of the first',
  async (width, { open }) => {
    const agent = await streamingAgent()
    const { url } = await startRehearsal({ url: agent.url })
    const page = await open(url, { width })
    const first = await startedFrom(page, agent)
    const panelOf = (id: number) => page.getByRole('region', { name: `Run ${id}`, exact: true })
    const shown = await panelOf(1).elementHandle()
    const second = await beginRun(page, agent, 'What is 20% of 240?')
    await panelOf(2).getByText('Waiting for the agent').waitFor()
    second.send('model_started', { at: 0.1, step: 1, model: 'model-b', attempt: 1 })
    await panelOf(2).getByText('Model call 1 · model-b').waitFor()
    // The first is still there as it was, not loaded again.
    expect(await shown!.isVisible()).toBe(true)
    const [one, two] = await Promise.all([1, 2].map(id => panelOf(id).boundingBox()))
    if (width === 1440) expect([two!.y, two!.x < one!.x]).toEqual([one!.y, true])
    else expect([two!.x, two!.y < one!.y]).toEqual([one!.x, true])
    expect(await violationsOn(page)).toEqual([])
    expect(await overhangOf(page)).toBe(0)

    first.finish(success(first.taskId, 'It is 36.'))
    await panelOf(1).getByRole('group', { name: 'Output' }).getByText('It is 36.').waitFor()
    await panelOf(2).getByRole('button', { name: 'Cancel run 2' }).waitFor()
    await page.reload()
    await panelOf(1).getByRole('group', { name: 'Output' }).getByText('It is 36.').waitFor()
    await panelOf(2).getByText('Model call 1 · model-b').waitFor()
    await beginRun(page, agent, 'A third')
    await panelOf(3).waitFor()
    expect(await panelOf(2).isVisible()).toBe(true)
    expect(await panelOf(1).count()).toBe(0)
  },
)

test('a task runs on one agent beside the same on another', async ({ open }) => {
  const agents = await Promise.all([streamingAgent(), streamingAgent()])
  const { url } = await startRehearsal({
    agents: agents.map((agent, index) => ({ id: `agent-${7 + index}`, url: agent.url })),
  })
  const page = await open(`${url}/#/run/agent-7`)
  for (const [index, agent] of agents.entries()) {
    await page.getByLabel('Agent').selectOption(`agent-${7 + index}`)
    const run = await beginRun(page, agent, TASK)
    run.finish(success(run.taskId, `Of agent ${7 + index}.`))
    const panel = page.getByRole('region', { name: `Run ${index + 1}`, exact: true })
    await panel
      .getByRole('group', { name: 'Output' })
      .getByText(`Of agent ${7 + index}.`)
      .waitFor()
  }
  expect(await page.getByRole('group', { name: 'Output' }).count()).toBe(2)
  await page.getByRole('link', { name: 'Compare with' }).click()
  await page.getByRole('group', { name: 'The Agent of run 2' }).getByText('agent-8').waitFor()
})

test('Run leads back to the run that has ended meanwhile, and to its agent', async ({ open }) => {
  const agent = await streamingAgent()
  const agents = [
    { id: 'agent-1', url: 'http://127.0.0.1:9' },
    { id: 'agent-7', url: agent.url },
  ]
  const { url } = await startRehearsal({ agents })
  const page = await open(url)
  const run = await startedFrom(page, agent)
  await page.getByRole('link', { name: 'Checks' }).click()
  run.finish(success(run.taskId, 'It is 36.'))
  await page.getByRole('link', { name: 'Run', exact: true }).click()
  await page.getByRole('group', { name: 'Output' }).getByText('It is 36.').waitFor()
  expect(await page.getByLabel('Agent').inputValue()).toBe('agent-7')
})

test('a run that is cancelled keeps what it had written, and its open step a bar to its end', async ({
  open,
}) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(`${url}/#/run/agent-7`)
  await page.getByText('Options').click()
  await page.getByLabel('Task', { exact: true }).fill(TASK)
  const arrived = agent.nextRun()
  await page.getByLabel('System prompt').press('Control+Enter')
  const run = await arrived
  run.send('model_started', { at: 0, step: 1, model: 'model-a', attempt: 1 })
  run.send('text', { at: 0.001, step: 1, text: 'It is thir' })
  await page.getByRole('group', { name: 'Output so far' }).getByText('It is thir').waitFor()
  await page.getByRole('button', { name: 'Cancel run 1' }).click()
  await page.getByText('The run was cancelled').waitFor()
  const result = page.getByRole('region', { name: 'Result of run 1' })
  await result.getByRole('group', { name: 'Output so far' }).getByText('It is thir').waitFor()
  const [bar, scale] = await Promise.all(
    ['.span > span', '.span'].map(selector => page.locator(selector).boundingBox()),
  )
  expect(bar!.width).toBeCloseTo(scale!.width, 0)
})
