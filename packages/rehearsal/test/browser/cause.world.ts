import { causeText } from '@agent-task-service/rehearsal/report'
import { expect } from 'vitest'
import { overhangOf, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'
import { assertion, reportOf } from './report.ts'

const broken = assertion('uuid', 'fail', {
  ...{ title: 'A task with a UUID is run', detail: 'expected 200, got 500' },
  ...{ why: 'The contract says so.', how: "curl -sS 'http://127.0.0.1:9/run'" },
})
const report = {
  ...reportOf(assertion('taken', 'pass'), assertion('other', 'fail'), broken),
  ...{ cause: causeText(broken), causeId: broken.id },
}

test('a report of the command line is in the list, and begins with its likeliest cause, why, and how to see it', async ({
  open,
}) => {
  const { url, call } = await startRehearsal()
  const page = await open(`${url}/#/checks`)
  await page.getByText('Not checked yet.').waitFor()
  await call('/api/checks', { method: 'POST', body: JSON.stringify(report) })
  const row = page.getByRole('article', { name: 'agent-7' }).getByRole('listitem')
  await row.getByText('command line').waitFor()
  await row.getByText('1 of 3 assertions passed. Not so: A task with a UUID is run (run.uuid)').waitFor()
  await row.getByRole('link', { name: 'Checks 1' }).click()

  const cause = page.getByRole('region', { name: 'Likeliest cause' })
  await cause.getByText('Not so: A task with a UUID is run', { exact: true }).waitFor()
  const texts = await page.getByRole('main').innerText()
  expect(texts).toMatch(
    /^Acceptance checks 1.*Likeliest cause\s+Not so: A task with a UUID.*1 of 3 assertions passed/s,
  )
  await cause.getByRole('group', { name: 'Detail of' }).getByText('expected 200, got 500').waitFor()
  expect(await cause.innerText()).toContain('Why The contract says so.')
  const command = cause.getByRole('group', { name: 'Command of' })
  expect(await command.innerText()).toBe(broken.how)
  await cause.getByRole('button', { name: 'Copy the command of the likeliest cause' }).waitFor()
  expect(await violationsOn(page)).toEqual([])

  await page.getByRole('link', { name: 'Agents' }).click()
  const card = page.getByRole('article', { name: 'agent-7' })
  await card.getByRole('link', { name: 'Checks 1: failed' }).waitFor()
  await card.getByText('1 of 3, ').waitFor()
  await card.getByText('Not so: A task with a UUID is run').waitFor()
})

test('the cause is above its lines where the window is narrow, and beside them where it is wide', async ({
  open,
}) => {
  const { url, call } = await startRehearsal()
  await call('/api/checks', { method: 'POST', body: JSON.stringify(report) })
  const boxes = async (width: number) => {
    const page = await open(`${url}/#/checks/1`, { width })
    const cause = await page.getByRole('region', { name: 'Likeliest cause' }).boundingBox()
    const lines = await page.getByRole('region', { name: 'Worth a look' }).boundingBox()
    expect(await overhangOf(page)).toBe(0)
    return { cause: cause!, lines: lines! }
  }
  const wide = await boxes(1440)
  expect(wide.lines.y).toBe(wide.cause.y)
  expect(wide.lines.x).toBeGreaterThan(wide.cause.x + wide.cause.width)
  const narrow = await boxes(390)
  expect(narrow.lines.y).toBeGreaterThan(narrow.cause.y + narrow.cause.height)
  expect(narrow.lines.x).toBe(narrow.cause.x)
})

test('a report of an agent that the platform does not know is listed by its address', async ({ open }) => {
  const { url, call } = await startRehearsal()
  const other = { ...report, url: 'http://127.0.0.1:10', cause: 'a cause of several', causeId: undefined }
  await call('/api/checks', { method: 'POST', body: JSON.stringify(other) })
  const page = await open(`${url}/#/checks`, { width: 390 })
  const others = page.getByRole('region', { name: 'Other agents' })
  await others.getByText('http://127.0.0.1:10').waitFor()
  await others.getByRole('link', { name: 'Checks 1' }).click()
  await page.getByRole('region', { name: 'Likeliest cause' }).getByText('a cause of several').waitFor()
  expect(await page.getByRole('button', { name: 'Run again' }).count()).toBe(0)
  expect(await violationsOn(page)).toEqual([])
})
