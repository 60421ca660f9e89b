import { success } from '@agent-task-service/test-support/scripted-agent'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import { expect } from 'vitest'
import { finished } from '../records.ts'
import { beginRun, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'

const TASK = 'What is 15% of 240?'

test('shows the steps of a run as they arrive, then its result', async ({ open }) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(url)
  await page.getByRole('link', { name: 'Run', exact: true }).click()
  const run = await beginRun(page, agent, TASK)
  const panel = page.getByRole('region', { name: 'The run' })
  await panel.getByText('Waiting for the agent').waitFor()

  run.send('run_started', { at: 0, task_id: run.taskId, tools: [], limits: {} })
  run.send('model_started', { at: 0.1, step: 1, model: 'model-a', attempt: 1 })
  run.send('text', { at: 0.2, step: 1, text: 'a text that is void' })
  const answer = panel.getByRole('region', { name: 'Progress' }).getByRole('group', { name: 'Output so far' })
  await answer.getByText('a text that is void').waitFor()
  await panel.getByText('Model call 1').click()
  await panel.getByText('Its text is the result so far.').waitFor()
  expect(await panel.getByRole('listitem').getByText('a text that is void').count()).toBe(0)
  run.send('model_failed', { at: 0.3, step: 1, model: 'model-a', attempt: 1 })
  await panel.getByRole('listitem').getByText('Step 1, try 1: model-a failed').waitFor()
  expect(await panel.getByText('a text that is void').count()).toBe(0)
  expect(await violationsOn(page)).toEqual([])
  run.send('model_started', { at: 0.4, step: 1, model: 'model-a', attempt: 2 })
  await panel.getByText('Model call 1 · model-a, try 2').waitFor()
  run.send('model_finished', {
    ...{ at: 0.5, step: 1, model: 'model-a', input_tokens: 1234, output_tokens: 36 },
    tool_calls: ['calculator'],
  })
  await panel.getByText('1,234 → 36 tokens').waitFor()
  const calculator = { step: 2, tool: 'calculator', call_id: 'c' }
  run.send('tool_started', { at: 0.6, ...calculator, arguments: '{"e":"0.15*240"}' })
  await panel.getByText('Tool call 2').click()
  await panel.getByText('{"e":"0.15*240"}').waitFor()
  run.send('tool_finished', { at: 0.7, ...calculator, failed: false, result: '36.0' })
  await panel.getByText('36.0').waitFor()
  run.send('limit_near', { at: 0.8, limit: 'max_steps', used: 40, of: 50 })
  await panel.getByRole('listitem').getByText('Close to max_steps: 40 of 50 used').waitFor()
  run.send('model_started', { at: 0.9, step: 3, model: 'model-a', attempt: 1 })
  run.send('text', { at: 1, step: 3, text: 'It is ' })
  run.send('text', { at: 1.1, step: 3, text: 'thirty-six.' })
  await answer.getByText('It is thirty-six.').waitFor()
  expect(await panel.getByRole('progressbar').getAttribute('max')).toBe('120000')

  run.finish(success(run.taskId, 'It is 36.\nSo there.'))
  await panel.getByText('The reply follows the contract.').waitFor()
  const output = panel.getByRole('group', { name: 'Output' })
  expect(await output.innerText()).toBe('It is 36.\nSo there.')
  await panel.getByText('Raw exchange').click()
  const command = await panel.getByRole('group', { name: 'curl' }).innerText()
  expect(command).toContain('/staging/agents/agent-7/run')
  expect(command).toContain('Bearer $STAGING_TOKEN')

  // Later too, and from another view.
  await page.getByRole('link', { name: 'Run 1' }).click()
  await page.getByRole('heading', { name: '3 steps' }).waitFor()
  await page.getByText('Step 1, try 1: model-a failed').waitFor()
  await page.getByText('Tool call 2 · calculator').click()
  await page.getByRole('group', { name: 'Arguments of step 2' }).getByText('0.15*240').waitFor()
  await page.getByRole('group', { name: 'Result of step 2' }).getByText('36.0').waitFor()
  await page.getByText('Model call 3 · model-a').click()
  await page.getByRole('group', { name: 'Text of step 3' }).getByText('It is thirty-six.').waitFor()
})

test('a run continues while other views are open, and can be cancelled', async ({ open }) => {
  const agent = await streamingAgent()
  const rehearsal = await startRehearsal({ url: agent.url })
  const page = await open(rehearsal.url)
  await page.getByRole('link', { name: 'Run', exact: true }).click()
  await page.getByLabel('Task', { exact: true }).fill(TASK)
  const arrived = agent.nextRun()
  await page.keyboard.press('Control+Enter')
  const run = await arrived
  run.send('model_started', { at: 0.1, step: 1, model: 'model-a', attempt: 1 })
  await page.getByText('Model call 1').waitFor()
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('link', { name: /^Run.*in progress/ }).click()
  await page.getByText('Model call 1').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('The run was cancelled').waitFor()
  await run.left
})

test('reports a stream whose reply violates the contract', async ({ open }) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(url)
  await page.getByRole('link', { name: 'Run a task on agent-7' }).click()
  await page.getByText('Options').click()
  await page.getByLabel('Task id').fill('test-1')
  const run = await beginRun(page, agent, TASK)
  run.send('model_started', { at: 0.1, step: 1, model: 'model-a', attempt: 1 })
  run.finish({ ...success(run.taskId), extra: 1, output: 5 })
  const result = page.getByRole('region', { name: 'Result' })
  await result.getByText(/violations? of the contract/).waitFor()
  await result.getByText('HTTP 200 · recorded as 502').waitFor()
  await page.getByText('Model call 1 · model-a').click()
  await page.getByText('No text: interrupted.').waitFor()
})

test('sends no invalid request, and leads to its first field', async ({ open }) => {
  const { url } = await startRehearsal({ url: (await streamingAgent()).url })
  const page = await open(url, { width: 390 })
  await page.getByRole('link', { name: 'Run a task on agent-7' }).click()
  await page.getByText('Options').click()
  await page.getByLabel('Own settings').fill('[]')
  await page.getByLabel('Task id').fill('seven')
  await page.getByText('Options').click()
  const send = () => page.getByRole('button', { name: 'Run', exact: true }).click()
  for (const [label, valid] of [
    ['Task', 'What is 6 times 7?'],
    ['Own settings (JSON)', '{"tenant":"acme"}'],
    ['Task id', 'test-1'],
  ] as const) {
    await send()
    const control = page.getByLabel(label, { exact: true })
    expect(await control.evaluate(node => node === node.ownerDocument.activeElement)).toBe(true)
    await control.fill(valid)
  }
  await page.getByLabel('Token cap').pressSequentially('1.5')
  await send()
  expect(await page.getByText('Waiting for the agent').count()).toBe(0)
  await page.getByLabel('Token cap').fill('15')
  await send()
  await page.getByText('Waiting for the agent').waitFor()
})

test('the text of a model call that calls tools leaves the result for its step', async ({ open }) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(`${url}/#/run/agent-7`)
  const run = await beginRun(page, agent, TASK)
  run.send('model_started', { at: 0.1, step: 1, model: 'model-a', attempt: 1 })
  run.send('text', { at: 0.2, step: 1, text: 'I will look it up.' })
  const answer = page.getByRole('group', { name: 'Output so far' })
  await answer.getByText('I will look it up.').waitFor()
  run.send('model_finished', { at: 0.3, step: 1, model: 'model-a', tool_calls: ['calculator'] })
  await page.getByText('Model call 1').click()
  await page.getByRole('group', { name: 'Text of step 1' }).getByText('I will look it up.').waitFor()
  expect(await answer.count()).toBe(0)
})

test('the end of a long answer stays in view as it comes, until the reader scrolls up', async ({ open }) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(`${url}/#/run/agent-7`)
  const run = await beginRun(page, agent, TASK)
  const lines = (name: string) => Array.from({ length: 400 }, (_, index) => `${name} ${index}\n`).join('')
  run.send('model_started', { at: 0.1, step: 1, model: 'model-a', attempt: 1 })
  run.send('text', { at: 0.2, step: 1, text: lines('first') })
  const answer = page.getByRole('group', { name: 'Output so far' })
  await answer.getByText('first 399').waitFor()
  const fromEnd = () =>
    answer.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)
  expect(await fromEnd()).toBeLessThan(2)
  await answer.evaluate(box => box.scrollTo(0, 0))
  run.send('text', { at: 0.3, step: 1, text: lines('second') })
  await answer.getByText('second 399').waitFor()
  expect(await answer.evaluate(({ scrollTop }) => scrollTop)).toBe(0)
})

test('the bars of the steps are on one time scale, under the slider, from 0 to the end of the last', async ({
  open,
}) => {
  const { url, store } = await startRehearsal()
  const events = [
    { type: 'model_started', data: { at: 0.5, step: 1, model: 'm' } },
    { type: 'model_finished', data: { at: 4.7, step: 1, model: 'm', tool_calls: [] } },
  ]
  store.runs.add(finished({ events }))
  const page = await open(`${url}/#/runs/1`)
  const scale = page.locator('.span')
  await scale.waitFor()
  const bar = (await scale.locator('span').boundingBox())!
  const { x, width } = (await scale.boundingBox())!
  expect((bar.x - x) / width).toBeCloseTo(0.5 / 4.7, 1)
  expect((bar.x + bar.width - x) / width).toBeCloseTo(1, 2)
  const slider = page.getByRole('slider')
  expect(await slider.getAttribute('max')).toBe('4.7')
  // Half of its thumb stands out at either end.
  const track = (await slider.boundingBox())!
  expect([track.x + 8, track.width - 16]).toEqual([x, width].map(pixels => expect.closeTo(pixels, 0)))
})
