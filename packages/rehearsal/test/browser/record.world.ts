import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { expect } from 'vitest'
import { finished } from '../records.ts'
import { overhangOf, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'

test("shows what a recorded run cost, and its steps' calls", async ({ open }) => {
  const { url, store } = await startRehearsal()
  const usage = { input_tokens: 5, output_tokens: 2, cost_usd: 0.002, cut: false, tool_calls: ['time'] }
  const run = finished({
    ...{ wallMs: 40, output: 'It is 42.' },
    events: [
      { type: 'model_started', data: { at: 0.1, step: 1, model: 'm' } },
      { type: 'model_finished', data: { at: 0.2, step: 1, model: 'm', ...usage } },
      { type: 'tool_started', data: { at: 0.2, step: 2, tool: 'time', arguments: '{}' } },
      { type: 'tool_finished', data: { at: 0.2, step: 2, tool: 'time', result: 'noon', replayed: true } },
      { type: 'run_finished', data: { at: 0.3, cost_usd: 0.002 } },
    ],
  })
  store.runs.add(run)
  const page = await open(`${url}/#/runs/1`, { width: 390 })
  const result = page.getByRole('region', { name: 'Result' })
  await result
    .getByText('40 ms · reported 0.50 s, beyond the wall clock · 12 → 3 tokens · 1 step · $0.002')
    .waitFor()
  await page.getByText('Model call 1 · m').click()
  await page.getByText('Called time.').waitFor()
  // A replica that was lost had made it.
  const replayed = page.getByRole('listitem').filter({ hasText: 'Tool call 2 · time' })
  expect(await replayed.innerText()).toContain('replayed')
  await replayed.getByText('Tool call 2 · time').click()
  await page.getByText('it was not made again').waitFor()
  expect(await violationsOn(page)).toEqual([])
  expect(await overhangOf(page)).toBe(0)
})

test("the raw exchange has the reply's status and headers, as they came", async ({ open }) => {
  const agent = await scriptedAgent((request, response) => {
    if (request.path === '/health') return replies(success)(request, response)
    response.writeHead(200, { 'Content-Type': 'text/html', 'X-Hostile': '<b>\u00e9' })
    response.end(JSON.stringify(success('test-1')))
  })
  const { url, run } = await startRehearsal({ url: agent.url })
  await run({ task_id: 'test-1', input: 'a task' })
  const page = await open(`${url}/#/runs/1`)
  const head = page.getByRole('group', { name: 'Reply headers' })
  await head.waitFor()
  const lines = (await head.innerText()).split('\n')
  expect(lines[0]).toBe('HTTP 200')
  expect(lines).toContain('content-type: text/html')
  expect(lines).toContain('x-hostile: <b>é')
})

test('the system prompt of a run stands in its record as it was written', async ({ open }) => {
  const { url, store } = await startRehearsal()
  const config = { system_prompt: 'Be brief.\nSay "please".', max_tokens: 50 }
  store.runs.add(finished({ request: JSON.stringify({ task_id: 'test-1', input: 'a task', config }) }))
  const page = await open(`${url}/#/runs/1`)
  const prompt = page.getByRole('group', { name: 'Config: system_prompt' })
  await prompt.waitFor()
  expect(await prompt.innerText()).toBe(config.system_prompt)
  expect(await page.getByRole('group', { name: 'Config: max_tokens' }).innerText()).toBe('50')
  expect(await violationsOn(page)).toEqual([])
})
