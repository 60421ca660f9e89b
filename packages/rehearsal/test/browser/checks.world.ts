import type { CheckOptions } from '@agent-task-service/rehearsal/checks'
import type { Report } from '@agent-task-service/rehearsal/report'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { expect } from 'vitest'
import { overhangOf, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'
import { assertion, reportOf } from './report.ts'

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
    options.onProgress!({ ...reportOf(assertion('first', 'pass')), verdict: null })
    await new Promise(resolve => options.signal!.addEventListener('abort', resolve))
    return reportOf(assertion('first', 'pass'), assertion('last', 'not_run'))
  }
  const { url, run } = await startRehearsal({ url: agent.url, runChecks })
  await run({ task_id: 'test-1', input: 'the run behind it' })
  const page = await open(`${url}/#/checks`, { width: 390 })
  await page.getByRole('button', { name: 'Run acceptance checks of agent-7' }).click()
  await page.getByText('1 of 1 assertion hold so far').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('did not reach their end: they were stopped').waitFor()
  await page.getByText('1 mandatory could not run').first().waitFor()

  await page.getByRole('button', { name: 'Run again' }).click()
  await page.getByRole('heading', { name: 'Acceptance checks 2' }).waitFor()
  await page.getByText('its image (--image NAME)').waitFor()
  const changes = page.getByRole('region', { name: 'Since checks 1' })
  await expect
    .poll(() => changes.getByRole('listitem').allInnerTexts())
    .toEqual([
      expect.stringMatching(/^pass\s*→\s*fail\s*The first holds$/),
      expect.stringMatching(/^not run\s*→\s*pass\s*The last holds$/),
    ])
  const toRead = page.getByRole('region', { name: 'Worth a look' })
  expect(await toRead.locator('.badge').allInnerTexts()).toEqual(['fail', 'advice'])
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
