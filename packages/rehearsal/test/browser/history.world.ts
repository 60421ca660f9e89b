import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { finished } from '../records.ts'
import { test } from './dashboard-test.ts'
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
  await page.getByRole('link', { name: 'Older' }).click()
  await shows(page, '950', '901')
  await page.getByRole('link', { name: 'Older' }).click()
  await shows(page, '900', '851')
  await page.goBack()
  await shows(page, '950', '901')

  await page.getByLabel('Status').selectOption('error')
  await shows(page, '1000', '100')
  await page.goBack()
  await shows(page, '950', '901')
  await page.getByRole('link', { name: 'Newest' }).click()
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
