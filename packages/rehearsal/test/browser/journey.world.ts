import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { test } from './dashboard-test.ts'
import { startOwnAgent } from './own-agent.ts'
import { startRehearsal } from './rehearsal.ts'
import { assertion, reportOf } from './report.ts'

// EVIDENCE-OF README.md: Around it are a workshop (the graph in LangGraph Studio, tools as small files, evaluation, recordings)
//   and a rehearsal of the marketplace: its staging route, health monitor, dashboard and acceptance checks.
test('works by keyboard alone: run, inspect, edit and rerun, start the checks, read the first failure', async ({
  open,
}) => {
  const agent = await startOwnAgent()
  const { url } = await startRehearsal({ ...agent, runChecks: async () => failedReport })
  const page = await open(url)
  const press = async (name: string) => {
    await tabTo(page, name)
    await page.keyboard.press('Enter')
  }
  await page.getByRole('link', { name: 'Run a task on agent-7' }).waitFor()
  await press('Skip to content')
  await press('Run a task on agent-7')
  await page.getByRole('heading', { name: 'Run a task' }).waitFor()
  await press('What is 15% of 240?')
  await press('Options')
  await tabTo(page, 'Tools (enabled_tools)')
  await page.keyboard.type('calculator')
  await tabTo(page, 'Own settings (JSON)')
  await page.keyboard.type('{"tenant":"acme"}')
  await press('Run')
  await page.getByRole('group', { name: 'Output' }).getByText('36').waitFor()
  expect(await focused(page)).toBe('The run')

  await press('Run 1')
  await page.getByRole('heading', { name: 'Run 1' }).waitFor()
  await tabTo(page, /^Tool call 2 · calculator/)
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'Result of step 2' }).waitFor()

  await press('Edit and run')
  await page.waitForURL(/run\/agent-7\?run=1$/)
  await tabTo(page, 'Task')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('What is 6 times 7?')
  expect(await page.getByLabel('Tools').inputValue()).toBe('calculator')
  expect(await page.getByLabel('Own settings').inputValue()).toBe('{"tenant":"acme"}')
  await press('Run')
  await page.getByRole('region', { name: 'Run 2' }).getByText('42').first().waitFor()

  await press('Compare with run 1')
  await page.getByRole('heading', { name: 'Runs 1 and 2' }).waitFor()
  await tabTo(page, 'The answer of run 2')

  await press('Checks')
  await page.getByRole('heading', { name: 'Acceptance checks' }).waitFor()
  await press('Run acceptance checks of agent-7')
  await page.getByText('1 of 3 assertions passed').waitFor()
  await press('1 mandatory failed')
  await page.getByRole('group', { name: 'Detail of run.uuid' }).getByText('expected 200, got 500').waitFor()
  expect(await focused(page)).toContain('The uuid holds')
})

const failedReport = reportOf(
  assertion('taken', 'pass'),
  assertion('uuid', 'fail'),
  assertion('both', 'not_run'),
)

/** Presses Tab until a control with that name has the focus. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = []
  const isThere = (text = '') => (typeof name === 'string' ? text === name : name.test(text))
  while (!isThere(passed.at(-1))) {
    if (passed.length > 60) throw new Error(`expected to come to ${name}, came past ${passed.join(', ')}`)
    await page.keyboard.press('Tab')
    passed.push(await focused(page))
  }
}

/** The name of the focused control. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate<string>(`(() => {
    const { activeElement: control } = document
    return control.ariaLabel ?? control.labels?.[0]?.textContent ?? control.textContent
  })()`)
}
