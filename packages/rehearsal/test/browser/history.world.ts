import { readFile } from 'node:fs/promises'
import Papa from 'papaparse'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { finished } from '../records.ts'
import { colorsOn, test } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'

const RUNS = 1_000

test('browses 1,000 runs by page, filter and address', async ({ open }) => {
  const { url, store } = await startRehearsal()
  for (let n = 1; n <= RUNS; n += 1) {
    const input = n % 250 === 1 ? 'a rare task' : `task ${n}`
    const request = JSON.stringify({ task_id: `test-${n}`, input })
    store.runs.add(finished({ request, status: n % 100 === 0 ? 'error' : 'success' }))
  }
  const page = await open(url)
  await page.getByRole('link', { name: 'All runs' }).click()
  await shows(page, '1000', '951')
  await page.getByRole('link', { name: 'Next page' }).click()
  await shows(page, '950', '901')
  await page.getByRole('link', { name: 'Next page' }).click()
  await shows(page, '900', '851')
  await page.goBack()
  await shows(page, '950', '901')

  await page.getByLabel('Status').selectOption('error')
  await shows(page, '1000', '100')
  await page.goBack()
  await shows(page, '950', '901')
  await page.getByRole('link', { name: 'Next page' }).click()
  await shows(page, '900', '851')
  await page.getByRole('link', { name: 'Previous page' }).click()
  await shows(page, '950', '901')
  await page.reload()
  await page.getByRole('link', { name: 'Previous page' }).click()
  await shows(page, '1000', '951')
  expect(await page.getByRole('link', { name: 'Previous page' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Next page' }).click()
  await shows(page, '950', '901')
  await page.getByRole('link', { name: 'First page' }).click()
  await shows(page, '1000', '951')
  await page.getByRole('searchbox', { name: 'Text' }).fill('RARE')
  await page.keyboard.press('Enter')
  await shows(page, '751', '1')
  expect(page.url()).toContain('#/runs?text=RARE')
  await page.reload()
  await shows(page, '751', '1')
  expect(await page.getByRole('searchbox', { name: 'Text' }).inputValue()).toBe('RARE')
  await page.getByRole('listitem').filter({ hasText: 'Run 501 on' }).getByRole('link').click()
  await page.getByRole('heading', { name: 'Run 501' }).waitFor()
})

/** Waits until a history page begins and ends with these runs. */
async function shows(page: Page, first: string, last: string): Promise<void> {
  await page.getByText(`Runs ${first} to ${last}`, { exact: true }).waitFor()
  const links = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  expect(await links.first().innerText()).toContain(`Run ${first} on`)
  expect(await links.last().innerText()).toContain(`Run ${last} on`)
}

const HOUR_MS = 3_600_000

/** A platform with 48 runs, one an hour until now; the earliest is run 1, and every sixth fails. */
async function startWithRuns() {
  const rehearsal = await startRehearsal()
  const now = Date.now()
  for (let n = 1; n <= 48; n += 1) {
    const error = n % 12 === 0 ? `tool web_search failed ${n} times` : 'no model'
    const failed = { status: 'error', reply: JSON.stringify({ status: 'error', output: '', error }) } as const
    rehearsal.store.runs.add(
      finished({
        at: new Date(now - (48 - n) * HOUR_MS - 60_000),
        wallMs: n === 7 ? 31_000 : n * 100,
        output: `answer ${n}`,
        ...(n % 6 === 0 && failed),
      }),
    )
  }
  return rehearsal
}

/** Whether the list of a range of time has come; until then there is none. */
const areFew = ({ length }: readonly number[]) => length > 0 && length < 20
const numbersOn = (page: Page) =>
  page
    .getByRole('list', { name: 'Runs' })
    .getByRole('listitem')
    .evaluateAll(rows => rows.map(row => Number(/Run (\d+) on/.exec(row.textContent)![1])))

/** Waits until a history page has these runs, in this order. */
async function lists(page: Page, numbers: readonly number[]): Promise<void> {
  await expect.poll(() => numbersOn(page)).toEqual(numbers)
}

const downFrom = (first: number, last: number) =>
  Array.from({ length: first - last + 1 }, (_, index) => first - index)

test('chooses a range of time and an order, which the address keeps and Back undoes', async ({ open }) => {
  const { url } = await startWithRuns()
  const page = await open(`${url}/#/runs`)
  await lists(page, downFrom(48, 1))
  await page.getByLabel('Time', { exact: true }).selectOption('Last 24 hours')
  await lists(page, downFrom(48, 25))
  await page.getByLabel('Order').selectOption('Slowest first')
  await page.getByLabel('Status').selectOption('success')
  await page.getByLabel('Time', { exact: true }).selectOption('Any time')
  await expect.poll(async () => (await numbersOn(page)).slice(0, 3)).toEqual([7, 47, 46])
  await page.reload()
  await expect.poll(async () => (await numbersOn(page)).slice(0, 3)).toEqual([7, 47, 46])
  for (const _ of ['time', 'status', 'order']) await page.goBack()
  await lists(page, downFrom(48, 25))

  await page.getByLabel('Time', { exact: true }).selectOption('From – to')
  const local = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR_MS).toISOString().slice(0, 16)
  await page.getByLabel('From', { exact: true }).fill(local(10.5))
  await page.getByLabel('To', { exact: true }).fill(local(7.5))
  await page.keyboard.press('Enter')
  await lists(page, [40, 39, 38])
  expect(page.url()).toMatch(/from=\d{4}-.*&to=\d{4}-/)
  expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(local(7.5))
})

test('a search leaves a range of time as it is, with its seconds; the last hour is in place of a range', async ({
  open,
}) => {
  const { url } = await startWithRuns()
  const range = 'from=2026-01-01T10%3A00%3A30.500Z&to=2026-10-25T01%3A30%3A59.999Z'
  const page = await open(`${url}/#/runs?${range}`)
  await page.getByRole('searchbox', { name: 'Text' }).fill('answer')
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain(`${range}&text=answer`)
  await page.goto(`${url}/#/runs?last=1h&${range}`)
  await lists(page, [48])
  expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('1h')
  expect(await page.getByLabel('From', { exact: true }).count()).toBe(0)
})

test('each row has the date, a line of the output, and the cost if it is known', async ({ open }) => {
  const { url, store } = await startRehearsal()
  const events = [{ type: 'run_finished', data: { cost_usd: 0.0123 } }]
  store.runs.add(finished({ at: new Date('2024-02-29T12:00:00Z'), output: 'First line\nsecond', events }))
  store.runs.add(finished({ at: new Date() }))
  const page = await open(`${url}/#/runs`)
  const rows = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  const today = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
  expect(await rows.nth(0).innerText()).toContain(`on agent-7, ${today.format(new Date())}, `)
  const old = await rows.nth(1).innerText()
  expect(old).toContain('29 Feb 2024, 12:00:00')
  expect(old).toContain('$0.0123')
  const output = rows.nth(1).getByText('First line second')
  expect((await output.boundingBox())!.height).toBeLessThanOrEqual(20)
})

test('draws figures over time in both themes, says them in words, and a drag narrows the range', async ({
  open,
}) => {
  const { url } = await startWithRuns()
  const page = await open(`${url}/#/runs`)
  const figures = page.getByRole('region', { name: 'Figures' })
  await figures.waitFor()
  const terms = (await figures.locator('.tile').allInnerTexts()).map(text => text.split('\n'))
  expect(terms).toEqual([
    ['Runs', '48'],
    ['Success', '83.3%', '40 of 48'],
    ['p50', '2.50 s', 'half are faster'],
    ['p95', '4.70 s', 'within 30 s'],
  ])
  const time = page.getByRole('img', { name: 'p50 and p95 of the time per run' })
  const outcomes = page.getByRole('img', { name: 'in all 40 success, 8 error' })
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme })
    await expect.poll(() => colorsOn(time)).toEqual(expect.arrayContaining(['accent', 'text', 'warn']))
    await expect.poll(() => colorsOn(outcomes)).toEqual(expect.arrayContaining(['good', 'bad']))
  }
  const { x, y, width, height } = (await time.boundingBox())!
  await page.mouse.move(x + width - 60, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + width - 15, y + height / 2, { steps: 4 })
  await page.mouse.up()
  await page.getByLabel('From', { exact: true }).waitFor()
  await expect.poll(() => numbersOn(page)).toSatisfy(areFew)
  expect((await numbersOn(page))[0]).toBe(48)
  await page.goBack()
  await lists(page, downFrom(48, 1))
})

// EVIDENCE-OF docs/guides/staging.md: On a touch screen a finger on a chart shows its figures, and one that goes along it chooses a range
//   of time; up and down it scrolls the page.
test('a finger on a chart shows its figures, along it chooses a range, and up and down scrolls the page', async ({
  open,
}) => {
  const { url } = await startWithRuns()
  const page = await open(`${url}/#/runs`, { width: 390, height: 700, hasTouch: true })
  const chart = page.getByRole('region', { name: 'Time per run' })
  await chart.locator('canvas').waitFor()
  const session = await page.context().newCDPSession(page)
  const draw = async (...path: readonly [number, number][]) => {
    await chart.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await chart.locator('.u-over').boundingBox())!
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: readonly [number, number][]) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: points.map(([across, down]) => ({ x: x + width * across, y: y + height * down })),
      })
    await touch('touchStart', path[0]!)
    for (const point of path.slice(1)) await touch('touchMove', point)
    await touch('touchEnd')
  }
  const legend = () => chart.locator('.legend').innerText()
  const all = await legend()
  await draw([0.5, 0.5])
  await expect.poll(legend).not.toBe(all)

  await draw([0.6, 0.5], [0.7, 0.5], [0.8, 0.5], [0.95, 0.5])
  await expect.poll(() => page.url()).toContain('from=')
  await expect.poll(() => numbersOn(page)).toSatisfy(areFew)
  await page.goBack()
  await lists(page, downFrom(48, 1))

  // Last, since a page that was flung goes on by itself.
  const scrolled = () => page.evaluate<number>('scrollY')
  await draw([0.5, 0.5])
  const before = await scrolled()
  await draw([0.5, 0.9], [0.5, 0.6], [0.5, 0.1], [0.5, -1])
  await expect.poll(scrolled).toBeGreaterThan(before)
  expect(page.url()).not.toContain('from=')
})

test('groups errors by kind, which lead to their runs', async ({ open }) => {
  const { url } = await startWithRuns()
  const page = await open(`${url}/#/runs`)
  const kinds = page.getByRole('region', { name: 'Errors by kind' }).getByRole('listitem')
  await kinds.first().waitFor()
  expect((await kinds.allInnerTexts()).map(text => text.split(/\s*\n\s*/))).toEqual([
    ['4', 'tool web_search failed 48 times', 'error', 'latest: run 48'],
    ['4', 'no model', 'error', 'latest: run 42'],
  ])
  await kinds.nth(1).getByRole('link', { name: 'no model' }).click()
  await lists(page, [42, 30, 18, 6])
  await page.getByRole('link', { name: 'Show the others too' }).click()
  await lists(page, downFrom(48, 1))
  await kinds.nth(0).getByRole('link', { name: 'run 48' }).click()
  await page.getByRole('heading', { name: 'Run 48' }).waitFor()
})

test('exports what the filters leave, as CSV and as JSON', async ({ open }) => {
  const { url } = await startWithRuns()
  const page = await open(`${url}/#/runs?status=error&sort=oldest`)
  const fileOf = async (name: string) => {
    const arrived = page.waitForEvent('download')
    await page.getByRole('link', { name }).click()
    const file = await arrived
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
  }
  const csv = await fileOf('Export CSV')
  expect(csv.name).toMatch(/^runs-[-\d]+\.csv$/)
  const { data } = Papa.parse<Record<string, string>>(csv.text, { header: true, skipEmptyLines: true })
  expect(data.map(({ id, error }) => [Number(id), error]).slice(0, 2)).toEqual([
    [6, 'no model'],
    [12, 'tool web_search failed 12 times'],
  ])
  const json = await fileOf('Export JSON')
  expect(json.name).toMatch(/^runs-[-\d]+\.json$/)
  const runs: { id: number }[] = JSON.parse(json.text)
  expect(runs.map(({ id }) => id)).toEqual([6, 12, 18, 24, 30, 36, 42, 48])
})

test('no run at all, none that matches, and a wrong address: each is said', async ({ open }) => {
  const { url, store } = await startRehearsal()
  const page = await open(`${url}/#/runs`, { expected: /400 \(Bad Request\)/ })
  await page.getByText('No runs by a person yet.').waitFor()
  store.runs.add(finished())
  await page.getByRole('region', { name: 'Figures' }).waitFor()
  await page.evaluate(`location.hash = '#/runs?last=1h&status=error'`)
  await page.getByText('No runs match the filters.').waitFor()
  expect(await page.getByRole('region', { name: 'Figures' }).count()).toBe(0)
  await page.evaluate(`location.hash = '#/runs?by=anyone'`)
  await page.getByRole('region', { name: 'Figures' }).waitFor()
  await page.evaluate(`location.hash = '#/runs?from=yesterday'`)
  await page.getByText('from: expected a time like').waitFor()
  await page.getByRole('region', { name: 'Figures' }).waitFor({ state: 'detached' })
})

test('a run whose reply breaks the contract says in its row how', async ({ open }) => {
  const { url, store } = await startRehearsal()
  store.runs.add(finished({ status: 'violation', reply: '{}', broken: ['status: expected one of three'] }))
  const page = await open(`${url}/#/runs`)
  const row = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  await row.getByText('status: expected one of three').waitFor()
})
