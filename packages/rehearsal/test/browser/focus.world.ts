import type { CheckOptions } from '@agent-task-service/rehearsal/checks'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { finished } from '../records.ts'
import { runTask, test } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'
import { assertion, reportOf } from './report.ts'

const TASK = 'What is 15% of 240?'

/** What has the focus, by its label or else its text. */
async function focusOf(page: Page): Promise<string> {
  return await page.evaluate<string>(
    '(document.activeElement.ariaLabel ?? document.activeElement.innerText).trim()',
  )
}

test('a run that is cancelled, and one that is run again, take the focus from their buttons', async ({
  open,
}) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(`${url}/#/run/agent-7`)
  await runTask(page, TASK)
  await page.getByText('Waiting for the agent').waitFor()
  expect(await focusOf(page)).toBe('The run')

  await page.getByRole('button', { name: 'Cancel run 1' }).press('Enter')
  await page.getByText('The run was cancelled').waitFor()
  expect(await focusOf(page)).toBe('Run 1')

  await page.getByRole('button', { name: 'Run again' }).press('Enter')
  await page.getByRole('button', { name: 'Cancel run 2' }).waitFor()
  expect(await focusOf(page)).toBe('The run')
})

test('a run that was there before takes no focus', async ({ open }) => {
  const { url, store } = await startRehearsal()
  store.runs.add(finished())
  const page = await open(`${url}/#/run/agent-7?run=1`)
  await page.getByText('The reply follows the contract.').waitFor()
  expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
})

test('the button that stopped checks keeps the focus, and then repeats them', async ({ open }) => {
  const runChecks = async ({ onProgress, signal }: CheckOptions) => {
    onProgress!({ ...reportOf(assertion('first', 'pass')), verdict: null })
    await new Promise(resolve => signal!.addEventListener('abort', resolve))
    return reportOf(assertion('first', 'not_run'))
  }
  const { url } = await startRehearsal({ runChecks })
  const page = await open(`${url}/#/checks`)
  await page.getByRole('button', { name: 'Run acceptance checks of agent-7' }).press('Enter')
  await page.getByRole('button', { name: 'Stop' }).press('Enter')
  await page.getByText('did not finish: they were stopped').waitFor()
  expect(await focusOf(page)).toBe('Run again')
})

test('a run that begins on a phone scrolls into view', async ({ open }) => {
  const agent = await streamingAgent()
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(`${url}/#/run/agent-7`, { width: 390, height: 664 })
  await runTask(page, TASK)
  const progress = page.getByRole('region', { name: 'Progress' })
  await progress.waitFor()
  const { y, height } = (await progress.boundingBox())!
  expect(y).toBeGreaterThanOrEqual(0)
  expect(y + height).toBeLessThanOrEqual(664)
})
