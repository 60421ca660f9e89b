import type { RunRecord } from '@agent-task-service/rehearsal/api'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { finished } from '../records.ts'
import { beginRun, overhangOf, runTask, test } from './dashboard-test.ts'
import { EventWriter } from './graph-runs.ts'
import { startRehearsal } from './rehearsal.ts'

const LONG_NAME = 'The Regional Assistant for Tender Documents, Supplier Questions and Everything Else'

test("an agent's long name stretches no filter", async ({ open }) => {
  const agent = await scriptedAgent((_request, response) => {
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ status: 'ok', agent_id: 'agent-7', agent_name: LONG_NAME.repeat(2) }))
  })
  const { url } = await startRehearsal({ url: agent.url })
  for (const width of [1440, 390]) {
    const page = await open(`${url}/#/runs`, { width })
    await page.locator('option', { hasText: LONG_NAME }).waitFor({ state: 'attached' })
    const filter = await page.getByLabel('Agent', { exact: true }).boundingBox()
    expect(filter!.width).toBeLessThanOrEqual(240)
    expect(await overhangOf(page)).toBe(0)
  }
})

const MARKDOWN = `| Lot | What | Deadline | Contact | Value |
| - | - | - | - | - |
| 1 | Maintenance of laboratory equipment | 14 March 2026 | procurement@example.org | 1,240,000 EUR |

\`\`\`python
print(lot)
\`\`\``

test('a wide table scrolls and breaks no word, and fenced code is monospaced, on a narrow window', async ({
  open,
}) => {
  const agent = await scriptedAgent(replies(id => success(id, MARKDOWN)))
  const { url, run } = await startRehearsal({ url: agent.url })
  await run({ task_id: 'test-1', input: 'Write a table.' })
  const page = await open(`${url}/#/runs/1`, { width: 390 })
  const output = page.getByRole('group', { name: 'Output' })
  const contact = output.getByRole('cell', { name: 'procurement@example.org' })
  await contact.waitFor()
  const linesOf = (selector: string) =>
    page.evaluate<number>(`(() => {
      const range = document.createRange()
      range.selectNodeContents(${selector})
      return new Set([...range.getClientRects()].map(({ top }) => top)).size
    })()`)
  expect(await linesOf(`document.querySelectorAll('td')[3]`)).toBe(1)
  const table = output.getByRole('group', { name: 'Table' })
  expect(await table.evaluate(node => node.scrollWidth > node.clientWidth)).toBe(true)
  expect(await overhangOf(page)).toBe(0)
  expect(
    await page.evaluate<string>(`getComputedStyle(document.querySelector('.markdown pre')).fontFamily`),
  ).toContain('monospace')
})

test('a result is beside its steps where there is room, and above them elsewhere', async ({ open }) => {
  const { url, store } = await startRehearsal()
  const model = { step: 1, model: 'm' }
  store.runs.add(finished({ events: [{ type: 'model_started', data: { at: 0.1, ...model } }] }))
  const places = async (width: number) => {
    const page = await open(`${url}/#/runs/1`, { width })
    const result = await page.getByRole('region', { name: 'Result' }).boundingBox()
    const steps = await page.getByRole('region', { name: '1 step' }).boundingBox()
    expect(await overhangOf(page)).toBe(0)
    return { result: result!, steps: steps! }
  }
  const wide = await places(1440)
  expect(wide.steps.x).toBeGreaterThan(wide.result.x + wide.result.width)
  const narrow = await places(390)
  expect(narrow.steps.y).toBeGreaterThan(narrow.result.y + narrow.result.height)
})

test.for([390, 1440])('nothing moves when steps arrive, at %i pixels', async (width, { open }) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(`${url}/#/run/agent-7`, { width })
  const run = await beginRun(page, agent, 'What is 15% of 240?')
  await page.getByText('Waiting for the agent…').waitFor()
  const shifts = await watchShifts(page)
  run.send('model_started', { at: 0.1, step: 1, model: 'model-a', attempt: 1 })
  await page.getByText('Model call 1').waitFor()
  run.send('text', { at: 0.2, step: 1, text: 'A text\nof\nthree lines' })
  await page.getByText('three lines').waitFor()
  run.send('model_finished', { at: 0.3, step: 1, model: 'model-a', tool_calls: ['time'] })
  run.send('tool_started', { at: 0.4, step: 2, tool: 'time', call_id: 'c', arguments: '{}' })
  await page.getByText('Tool call 2').waitFor()
  run.send('tool_finished', { at: 0.5, step: 2, tool: 'time', call_id: 'c', failed: false, result: 'noon' })
  await page.getByText('Tool call 2').locator('..').getByText('done').waitFor()
  expect(await shifts()).toEqual([])
})

test('nothing moves as the time of a run passes', async ({ open }) => {
  const agent = await streamingAgent()
  const { url, get } = await startRehearsal({ url: agent.url })
  const page = await open(`${url}/#/run/agent-7`)
  await runTask(page, 'What is 15% of 240?')
  await page.getByText('Waiting for the agent…').waitFor()
  const { at } = await get<RunRecord>('/api/runs/1')
  const passes = async (time: string) => {
    const [figure, unit] = time.split(' ')
    await page.clock.setFixedTime(Date.parse(at) + Number(figure) * (unit === 's' ? 1_000 : 1))
    await page.locator('.time').getByText(time, { exact: true }).waitFor()
  }
  // The first setting installs the clock, before which and after which the page may see two days.
  await passes('87 ms')
  const shifts = await watchShifts(page)
  for (const time of ['0.99 s', '1 s', '9.99 s', '10 s', '99.9 s', '100 s']) await passes(time)
  expect(await shifts()).toEqual([])
})

test.for([390, 1440])('nothing moves when figures and runs arrive, at %i pixels', async (width, { open }) => {
  const { url, store } = await startRehearsal()
  const reply = JSON.stringify({ status: 'error', output: '', error: 'no model' })
  for (let n = 0; n < 60; n += 1) store.runs.add(finished(n % 3 === 0 ? { status: 'error', reply } : {}))
  for (const late of ['figures', 'runs']) {
    const page = await open(`${url}/#/runs/x`, { width })
    await page.route(/api\/runs/, async route => {
      const isFigures = route.request().url().includes('figures')
      if (isFigures === (late === 'figures')) await new Promise(resolve => setTimeout(resolve, 200))
      await route.continue()
    })
    const shifts = await watchShifts(page)
    await page.evaluate(`location.hash = '#/runs'`)
    await page.getByRole('list', { name: 'Runs' }).waitFor()
    await page.getByRole('region', { name: 'Errors by kind' }).waitFor()
    expect(await shifts()).toEqual([])
  }
})

const PAINTED = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'

/**
 * What moves from now on, as the browser tells it; nobody asks for it to move. What was asked for before has been painted.
 * Decorations may: the bars of the steps share an axis, which grows with the run. The browser tells of them now and then.
 */
async function watchShifts(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(PAINTED)
  await page.evaluate(`(() => {
    window.shifts = []
    const note = list => list.getEntries().forEach(({ sources }) => {
      for (const { node } of sources) {
        const element = node?.parentElement ?? node
        if (!element?.closest('[aria-hidden]')) window.shifts.push(node?.outerHTML ?? element?.outerHTML ?? 'a node')
      }
    })
    new PerformanceObserver(note).observe({ type: 'layout-shift' })
  })()`)
  return async () => {
    await page.evaluate(PAINTED)
    return await page.evaluate<string[]>('window.shifts')
  }
}

test('a long name of a step that ran beside another widens no page', async ({ open }) => {
  const run = new EventWriter().start(1, 'a')
  const ends = [run.model('a'), run.tool('a_tool_with_a_long_name_'.repeat(20), 'a')]
  for (const end of ends) run.alone(0.1, end)
  const { url, store } = await startRehearsal()
  store.runs.add(finished({ events: run.end(1, 'a').events }))
  const page = await open(`${url}/#/runs/1`, { width: 390 })
  await page.getByText('a_tool_with_a_long_name_').first().waitFor()
  expect(await overhangOf(page)).toBe(0)
})
