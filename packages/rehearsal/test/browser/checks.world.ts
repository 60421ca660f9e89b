import type { CheckRun } from '@agent-task-service/rehearsal/api'
import type { CheckOptions } from '@agent-task-service/rehearsal/checks'
import type { Report } from '@agent-task-service/rehearsal/report'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type Look, overhangOf, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'
import { assertion, reportOf, reportSoFar } from './report.ts'

test('stops checks, repeats them, and shows what changed, what was not seen and the run behind a failure', async ({
  open,
}) => {
  const agent = await scriptedAgent(replies(id => success(id)))
  const asked: CheckOptions[] = []
  const runChecks = async (options: CheckOptions) => {
    asked.push(options)
    if (asked.length > 1)
      return reportOf(
        assertion('first', 'fail', { run: 1 }),
        assertion('hint', 'fail', { mandatory: false }),
        assertion('last', 'pass'),
      )
    options.onProgress!(reportSoFar(2, assertion('first', 'pass')))
    await new Promise(resolve => options.signal!.addEventListener('abort', resolve))
    return reportOf(assertion('first', 'pass'), assertion('last', 'not_run'))
  }
  const { url, run } = await startRehearsal({ url: agent.url, runChecks })
  await run({ task_id: 'test-1', input: 'the run behind it' })
  const page = await open(`${url}/#/checks`, { width: 390 })
  await page.getByRole('button', { name: 'Run acceptance checks of agent-7' }).click()
  await page.getByText('1 of 5 assertions checked').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('did not finish: they were stopped').waitFor()
  await page.getByText('1 mandatory not run').first().waitFor()

  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('heading', { name: 'Acceptance checks 2' }).waitFor()
  await page.getByText('its image (--image NAME)').waitFor()
  const changes = page.getByRole('region', { name: 'Since checks 1' })
  await expect
    .poll(() => changes.getByRole('listitem').allInnerTexts())
    .toEqual([
      expect.stringMatching(/^passed\s*→\s*failed\s*The first holds$/),
      expect.stringMatching(/^not run\s*→\s*passed\s*The last holds$/),
    ])
  const toRead = page.getByRole('region', { name: 'Worth a look' })
  expect(await toRead.locator('.badge').allInnerTexts()).toEqual(['failed', 'advisory'])
  expect(await violationsOn(page)).toEqual([])
  expect(await overhangOf(page)).toBe(0)
  await changes.getByRole('link', { name: 'The first holds' }).click()
  await toRead.getByRole('link', { name: 'run 1' }).click()
  await page.getByText('the run behind it', { exact: true }).waitFor()
})

test('a check has a page from its first moment, before its agent has answered', async ({ open }) => {
  const progress = Promise.withResolvers<CheckOptions>()
  const runChecks = (options: CheckOptions) => {
    progress.resolve(options)
    return new Promise<Report>(resolve => options.signal!.addEventListener('abort', () => resolve(report)))
  }
  const report = reportOf(assertion('first', 'not_run'))
  const { url } = await startRehearsal({ runChecks })
  const page = await open(`${url}/#/checks`)
  await page.getByRole('button', { name: 'Run acceptance checks of agent-7' }).click()
  await page.getByText('The checks begin…').waitFor()
  const { onProgress } = await progress.promise
  onProgress!({
    ...report,
    verdict: null,
    groups: [{ ...report.groups[0]!, state: 'waiting', assertions: [] }],
  })
  await page.getByText('A task works').waitFor()
  await page.getByText('waiting').waitFor()
  await page.getByText('0 of 1 assertion checked').waitFor()
})

// EVIDENCE-OF docs/guides/staging.md: Each assertion leads to the runs that it made, and a run says which checks, and which of their
//   assertions, made it.
test.for([390, 1440])(
  'an assertion leads to the runs that it made, and each of them back, at %i pixels',
  async (width, { open }) => {
    const agent = await scriptedAgent(replies(id => success(id)))
    const { url, run, call, get } = await startRehearsal({
      url: agent.url,
      runChecks: async () => {
        for (let n = 1; n <= 8; n += 1)
          await run({ task_id: `test-${n}`, input: `Task ${n}` }, { headers: { 'staging-by': 'checks' } })
        return reportOf(
          assertion('first', 'pass', { runs: [1, 2, 3, 4, 5, 6, 7] }),
          assertion('next', 'fail', { runs: [8], run: 8 }),
        )
      },
    })
    await run({ task_id: 'test-9', input: 'of other checks' }, { headers: { 'staging-by': 'checks' } })
    await call('/api/agents/agent-7/checks', { method: 'POST' })
    await expect.poll(async () => (await get<CheckRun>('/api/checks/1')).state).toBe('failed')
    const page = await open(`${url}/#/checks/1?at=run.first`, { width })
    const runs = page.locator('.assertions').getByText('Runs', { exact: true }).locator('..')
    await runs.getByText('2 more').click()
    expect(await runs.getByRole('link').allInnerTexts()).toEqual([7, 6, 5, 4, 3, 2, 1].map(n => `run ${n}`))
    expect(await violationsOn(page)).toEqual([])
    expect(await overhangOf(page)).toBe(0)
    await runs.getByRole('link', { name: 'run 3' }).click()
    await page.getByRole('heading', { name: 'Run 3' }).waitFor()
    await page.getByRole('link', { name: 'The first holds' }).click()
    await page.getByRole('group', { name: 'Command of run.first' }).waitFor()
    await page.getByRole('link', { name: 'its runs' }).click()
    await page.getByText('Only runs of checks 1.').waitFor()
    await expect.poll(() => page.getByRole('list', { name: 'Runs' }).getByRole('listitem').count()).toBe(8)
    await page.getByRole('link', { name: 'Show those of other checks too' }).click()
    await expect.poll(() => page.getByRole('list', { name: 'Runs' }).getByRole('listitem').count()).toBe(9)
    await page.goto(`${url}/#/runs/1`)
    await page.getByText('by the checks').waitFor()
  },
)

/** Starts checks that do as the test says, and opens their page. */
async function underway(open: (link: string, look?: Look) => Promise<Page>, look?: Look) {
  const begun = Promise.withResolvers<CheckOptions>()
  const end = Promise.withResolvers<Report>()
  const runChecks = (options: CheckOptions) => {
    begun.resolve(options)
    options.signal!.addEventListener('abort', () => end.resolve(reportOf()))
    return end.promise
  }
  const { url, call } = await startRehearsal({ runChecks })
  await call('/api/agents/agent-7/checks', { method: 'POST' })
  const { onProgress } = await begun.promise
  const page = await open(`${url}/#/checks/1`, look)
  return { page, url, end: end.resolve, show: onProgress! }
}

const tile = (page: Page, name: string) =>
  page.locator('.tile', { has: page.getByText(name, { exact: true }) }).locator('dd')

test.for(['light', 'dark'] as const)(
  'checks in progress say how many assertions are expected, and how long they have taken and still take (%s)',
  async (theme, { open }) => {
    const { page, url, show, end } = await underway(open, { theme, width: 1440 })
    show(reportSoFar(4))
    await page.getByText('0 of 7 assertions checked').waitFor()
    await tile(page, 'Remaining').getByText('known after a run').waitFor()
    const first = await tile(page, 'Elapsed').innerText()
    expect(first).toMatch(/^\d+ s$/)
    await expect.poll(() => tile(page, 'Elapsed').innerText()).not.toBe(first)

    show({ ...reportSoFar(4, assertion('first', 'pass'), assertion('next', 'fail')), expectedSeconds: 400 })
    await page.getByText('2 of 7 assertions checked, 1 mandatory failed.').waitFor()
    await tile(page, 'Remaining')
      .getByText(/^about [67] min$/)
      .waitFor()
    const groups = page.locator('details.panel > summary')
    expect(await groups.allInnerTexts()).toEqual([
      expect.stringMatching(/^A task works\s+in progress\s+2 of 4$/),
      expect.stringMatching(/^No secrets\s+waiting\s+3 assertions$/),
    ])
    // Of the whole length, what is checked is two parts of seven.
    const bar = await page.getByRole('region', { name: 'Summary' }).locator('.tally').boundingBox()
    const left = await page.getByRole('region', { name: 'Summary' }).locator('.left').boundingBox()
    expect(left!.width / bar!.width).toBeCloseTo(5 / 7, 1)
    expect(await violationsOn(page)).toEqual([])
    expect(await overhangOf(page)).toBe(0)

    // They take longer than they should: no figure is made up.
    show({ ...reportSoFar(4, assertion('first', 'pass')), expectedSeconds: 1 })
    await tile(page, 'Remaining').getByText('longer than the 1 s expected').waitFor()
    expect(await tile(page, 'Remaining').innerText()).toMatch(/^–/)

    end(reportOf(assertion('first', 'pass'), assertion('next', 'pass')))
    await page.getByText('2 of 2 assertions passed.').waitFor()
    expect(await tile(page, 'Total time').innerText()).toMatch(/ s$/)
    expect(await page.getByText('Remaining').count()).toBe(0)
    await page.goto(`${url}/#/checks`)
    await page.getByText('2 of 2 assertions passed').waitFor()
  },
)

test('checks that finished before all assertions were checked say so, and of none nothing is counted', async ({
  open,
}) => {
  const { url, call } = await startRehearsal()
  const post = (report: Report) => call('/api/checks', { method: 'POST', body: JSON.stringify(report) })
  const whole = reportOf(assertion('first', 'not_run'))
  await post({ ...whole, groups: [{ ...whole.groups[0]!, expected: 53 }] })
  // An earlier version does not say how many were expected.
  const { expected: _, ...group } = whole.groups[0]!
  await post({ ...whole, groups: [group] })
  await post({ ...whole, verdict: 'incomplete', groups: [] })
  const page = await open(`${url}/#/checks/1`)
  await page.getByText('0 of 1 assertion passed, 1 mandatory not run.').waitFor()
  await page.getByText('They finished early: what is not listed was not checked.').waitFor()
  await page.getByText('1 of 53').waitFor()
  await page.goto(`${url}/#/checks/2`)
  await page.getByText('0 of 1 assertion passed, 1 mandatory not run.').waitFor()
  await page.getByText('1 assertion', { exact: true }).waitFor()
  expect(await page.getByText('They finished early').count()).toBe(0)
  await page.goto(`${url}/#/checks/3`)
  await page.getByText('No assertion was checked.').waitFor()
  await page.goto(`${url}/#/checks`)
  const rows = page.getByRole('article', { name: 'Other agents' }).or(page.locator('.rows'))
  await rows.getByText('No assertion was checked').waitFor()
  expect(await page.getByRole('main').innerText()).not.toContain('0 of 0')
})

test('only a report of the command line says whose options it names', async ({ open }) => {
  const report = reportOf(assertion('first', 'pass'))
  const { url, call } = await startRehearsal({ runChecks: async () => report })
  await call('/api/checks', { method: 'POST', body: JSON.stringify(report) })
  await call('/api/agents/agent-7/checks', { method: 'POST' })
  const page = await open(`${url}/#/checks/1`)
  await page.getByText('The options are those of npm run staging:check.').waitFor()
  await page.goto(`${url}/#/checks/2`)
  await page.getByText('1 of 1 assertion passed.').waitFor()
  expect(await page.getByText('The options are those').count()).toBe(0)
})

test('the groups are beside the summary where the window is wide, and open by keyboard without moving it', async ({
  open,
}) => {
  const { page, show } = await underway(open, { width: 1440 })
  show({ ...reportSoFar(1, assertion('first', 'pass')), unseen: [] })
  const group = page.locator('details.panel', { hasText: 'A task' })
  await group.waitFor()
  const summary = page.getByRole('region', { name: 'Summary' })
  const [beside, before] = [(await group.boundingBox())!, (await summary.boundingBox())!]
  expect(beside.y).toBe(before.y)
  expect(beside.x).toBeGreaterThan(before.x + before.width)
  await group.locator('summary').first().focus()
  await page.keyboard.press('Enter')
  await page.getByText('The first holds').waitFor()
  expect(await summary.boundingBox()).toEqual(before)
})

test('a button that is pressed twice at once acts once', async ({ open }) => {
  const { url } = await startRehearsal({ runChecks: async () => reportOf(assertion('first', 'pass')) })
  const page = await open(`${url}/#/checks`)
  let begun = 0
  page.on('request', request => {
    if (request.method() === 'POST') begun++
  })
  const button = page.getByRole('button', { name: 'Run acceptance checks of agent-7' })
  await button.evaluate(node => {
    node.click()
    node.click()
  })
  await page.getByRole('heading', { name: 'Acceptance checks 1' }).waitFor()
  expect(begun).toBe(1)
})

test('checks in progress are one press away from their agent; what was not run when they stopped is folded', async ({
  open,
}) => {
  const agent = await scriptedAgent(replies(success))
  const many = Array.from({ length: 21 }, (_, index) => assertion(`late ${index}`, 'not_run'))
  const runChecks = ({ signal }: CheckOptions) =>
    new Promise<Report>(resolve => signal!.addEventListener('abort', () => resolve(reportOf(...many))))
  const { url, call } = await startRehearsal({ url: agent.url, runChecks })
  await call('/api/agents/agent-7/checks', { method: 'POST' })
  const page = await open(url)
  await page.getByRole('link', { name: 'Acceptance checks in progress of agent-7' }).click()
  await page.getByRole('heading', { name: 'Acceptance checks 1' }).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('heading', { name: '21 mandatory not run' }).waitFor()
  expect(await page.getByText('The late 1 holds').first().isVisible()).toBe(false)
  await page.getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('button', { name: 'Run acceptance checks of agent-7' }).waitFor()
})
