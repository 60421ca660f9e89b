import { appendFile } from 'node:fs/promises'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { expect } from 'vitest'
import { newFile } from '../new-file.ts'
import { finished } from '../records.ts'
import { runTask, test, violationsOn } from './dashboard-test.ts'
import { startOwnAgent } from './own-agent.ts'
import { startRehearsal } from './rehearsal.ts'

const MARKDOWN = `# Result

The **answer** is \`36\`, see [the docs](https://example.com/a) or [not](javascript:alert(1)).

| a | b |
| - | - |
| 1 | <img src=x onerror=alert(2)> |

![a picture](https://example.com/b.png)`

test('renders Markdown, but no markup, images or hidden addresses', async ({ open }) => {
  const agent = await scriptedAgent(replies(id => success(id, MARKDOWN)))
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(url)
  await page.getByRole('link', { name: 'Run a task on agent-7' }).click()
  await runTask(page, 'Write.')
  const output = page.getByRole('group', { name: 'Output' })
  await output.locator('strong', { hasText: 'answer' }).waitFor()
  expect(await output.getByRole('cell').allInnerTexts()).toEqual(['1', '<img src=x onerror=alert(2)>'])
  const links = await output.getByRole('link').all()
  expect(await Promise.all(links.map(one => one.getAttribute('href')))).toEqual(['https://example.com/a'])
  expect(await links[0]!.getAttribute('rel')).toBe('noreferrer noopener')
  expect(await output.locator('img, script').count()).toBe(0)
  expect(await output.innerText()).toContain('[not](javascript:alert(1))')

  const plain = page.getByRole('button', { name: 'Plain text' })
  await plain.press('Enter')
  await output.getByText('The **answer** is').waitFor()
  expect(await output.innerText()).toBe(MARKDOWN)
  expect(await plain.getAttribute('aria-pressed')).toBe('true')
  expect(await violationsOn(page)).toEqual([])
  await plain.press('Enter')
  await output.locator('strong', { hasText: 'answer' }).waitFor()
})

test("the raw exchange has a stream's events as they came, and of none nothing", async ({ open }) => {
  const { url, store } = await startRehearsal()
  const events = [
    { type: 'model_started', data: { at: 0.1, step: 1, model: 'm' } },
    { type: 'anything', data: { text: 'a\nb <b>c</b>' } },
  ]
  store.runs.add(finished({ events }))
  store.runs.add(finished())
  const page = await open(`${url}/#/runs/1`, { width: 390 })
  await page.getByText('Raw exchange').click()
  expect(await page.getByRole('group', { name: 'Events' }).innerText()).toBe(
    'event: model_started\ndata: {"at":0.1,"step":1,"model":"m"}\n\n' +
      'event: anything\ndata: {"text":"a\\nb <b>c</b>"}',
  )
  expect(await violationsOn(page)).toEqual([])
  await page.goto(`${url}/#/runs/2`)
  await page.getByRole('group', { name: 'curl' }).waitFor()
  expect(await page.getByRole('group', { name: 'Events' }).count()).toBe(0)
})

test('what an answer strikes through does not look like what another lacks', async ({ open }) => {
  const { url, store } = await startRehearsal()
  for (const output of ['one ~~two~~', 'one three']) store.runs.add(finished({ output }))
  const page = await open(`${url}/#/runs/1`)
  const background = async (region: string) => {
    await page.getByRole('region', { name: region }).locator('del').waitFor()
    return await page.evaluate<string>(`getComputedStyle(document.querySelector('del')).backgroundColor`)
  }
  expect(await background('Result of run 1')).toBe('rgba(0, 0, 0, 0)')
  await page.goto(`${url}/#/runs/1/2`)
  expect(await background('Answer')).not.toBe('rgba(0, 0, 0, 0)')
})

test("links a tool's sources without a referrer", async ({ open }) => {
  const { url, store } = await startRehearsal()
  const sources = [
    { number: 1, title: 'A page', url: 'https://example.com/one' },
    { number: 2, title: 'No page', url: 'javascript:alert(1)' },
    'nonsense',
  ]
  const search = { step: 1, tool: 'web_search' }
  const events = [
    { type: 'tool_started', data: { ...search, at: 0.1, arguments: '{}' } },
    { type: 'tool_finished', data: { ...search, at: 0.2, failed: false, result: 'a', sources } },
    { type: 'limit_near', data: { limit: 'timeout_sec', used: 90, of: 110 } },
  ]
  store.runs.add(finished({ events }))
  const page = await open(`${url}/#/runs/1`)
  await page.getByText('Tool call 1 · web_search').click()
  const list = page.getByRole('list', { name: 'Sources of step 1' })
  await list.waitFor()
  expect(await list.getByRole('listitem').allInnerTexts()).toEqual(['[1] A page'])
  const source = list.getByRole('link', { name: 'A page' })
  expect(await source.getAttribute('href')).toBe('https://example.com/one')
  expect(await source.getAttribute('rel')).toBe('noreferrer noopener')
  await page.getByText('Close to timeout_sec: 90 of 110 used').waitFor()
})

test('a step whose end was not recorded is interrupted only if its run did not succeed', async ({ open }) => {
  const { url, store } = await startRehearsal()
  const events = [{ type: 'model_started', data: { at: 0.1, step: 1, model: 'model-a', attempt: 1 } }]
  store.runs.add(finished({ events }))
  store.runs.add(finished({ events, status: 'cancelled' }))
  const page = await open(`${url}/#/runs/1`)
  await page.getByText('Model call 1 · model-a').click()
  await page.getByText('No text: its end was not recorded.').waitFor()
  expect(await page.getByText('interrupted').count()).toBe(0)
  await page.goto(`${url}/#/runs/2`)
  await page.getByText('Model call 1 · model-a').click()
  await page.getByText('No text: interrupted.').waitFor()
})

test('repeats a run, unchanged and edited; the draft survives a reload', async ({ open }) => {
  const agent = await startOwnAgent()
  const { url, get } = await startRehearsal(agent)
  const page = await open(url)
  await page.getByRole('link', { name: 'Run a task on agent-7' }).click()
  await page.getByText('Options').click()
  await page.getByLabel('Token cap').fill('400')
  await page.getByRole('button', { name: 'What is 15% of 240?' }).click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const outputOf = (id: number) =>
    page.getByRole('region', { name: `Run ${id}`, exact: true }).getByRole('group', { name: 'Output' })
  await outputOf(1).getByText('15% of 240 = 36').waitFor()
  await page.getByLabel('Task', { exact: true }).fill('A draft')
  await page.reload()
  expect(await page.getByLabel('Task', { exact: true }).inputValue()).toBe('A draft')
  expect(await page.getByLabel('Token cap').inputValue()).toBe('400')

  await page.getByRole('link', { name: 'Run 1' }).click()
  await page.getByRole('heading', { name: 'Run 1' }).waitFor()
  await page.getByRole('region', { name: 'Task' }).getByText('max_tokens').waitFor()
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('link', { name: 'Run 2' }).waitFor()
  await outputOf(2).getByText('15% of 240 = 36').waitFor()
  expect(await outputOf(1).isVisible()).toBe(true)
  const [first, second] = await Promise.all(
    [1, 2].map(id => get<{ request: { task_id: string; config: object } }>(`/api/runs/${id}`)),
  )
  expect(second!.request).toEqual({ ...first!.request, task_id: second!.request.task_id })
  expect(second!.request.task_id).not.toBe(first!.request.task_id)

  await page.getByLabel('Task', { exact: true }).fill('Another draft')
  await page
    .getByRole('region', { name: 'Run 2', exact: true })
    .getByRole('link', { name: 'Edit and run' })
    .click()
  expect(await page.getByLabel('Task', { exact: true }).inputValue()).toBe('What is 15% of 240?')
  await page.getByLabel('Token cap').fill('')
  await runTask(page, 'What is 6 times 7?')
  await outputOf(3).getByText('42').waitFor()
  expect((await get<{ request: object }>('/api/runs/3')).request).not.toHaveProperty('config')
})

test("marks runs by the checks and nobody else's", async ({ open }) => {
  const { url, store } = await startRehearsal()
  for (const [n, byChecks] of [false, true, true].entries()) {
    const input = byChecks ? 'of the checks' : 'of a person'
    store.runs.add(finished({ byChecks, request: JSON.stringify({ task_id: `test-${n}`, input }) }))
  }
  const page = await open(url)
  await page.getByRole('link', { name: 'All runs' }).click()
  const runs = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  await page.getByText('Runs 1 to 1').waitFor()
  expect(await runs.allInnerTexts()).toEqual([expect.stringContaining('of a person')])
  await page.getByLabel('Run by').selectOption('Anyone')
  await page.getByText('Runs 3 to 1').waitFor()
  expect(await runs.first().innerText()).toContain('checks')

  await page.goto(`${url}/#/history`)
  await page.getByText('Runs 1 to 1').waitFor()
  expect(await page.locator('main').innerText()).not.toMatch(/null|NaN|undefined/)
})

test("polls an agent's health on demand, and shows the lines it logged during a run", async ({ open }) => {
  const log = await newFile('agent.log')
  await appendFile(log, 'a line of before\n')
  let isUp = true
  const agent = await scriptedAgent((request, response) => {
    if (request.path === '/health' && !isUp) response.writeHead(500).end()
    else if (request.path === '/health') replies(success)(request, response)
    else void appendFile(log, 'a line of the run\n').then(() => replies(success)(request, response))
  })
  const { url } = await startRehearsal({ agents: [{ id: 'agent-7', url: agent.url, log }] })
  const page = await open(url)
  const card = page.getByRole('article', { name: 'agent-7' })
  await card.getByText('available since').waitFor()
  isUp = false
  await card.getByRole('button', { name: 'Poll /health' }).click()
  await card.getByRole('status').getByText('Failed: expected HTTP 200, got 500').waitFor()
  await card.locator('.badge').getByText('failing').waitFor()

  await card.getByRole('link', { name: 'Run a task' }).click()
  await runTask(page, 'What is 6 times 7?')
  await page.getByText('Agent log').click()
  expect(await page.getByRole('group', { name: 'Log lines' }).innerText()).toBe('a line of the run')
})

test('does not show a refused run as one that follows the contract, or as an expired session', async ({
  open,
}) => {
  const agent = await scriptedAgent((request, response) =>
    replies(success, request.path === '/run' ? 401 : 200)(request, response),
  )
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(url)
  await page.getByRole('link', { name: 'Run a task on agent-7' }).click()
  await runTask(page, 'What is 6 times 7?')
  await page.getByText('The run was refused').waitFor()
  expect(await page.getByText('follows the contract').count()).toBe(0)
})
