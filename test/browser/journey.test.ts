import type { Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { plantSecrets, startOwnAgent as startAgentProcess } from '../../staging/agents/own-agent.ts'
import type { CheckOptions, GroupId } from '../../staging/checks/options.ts'
import { groups, runChecks } from '../../staging/checks/run-checks.ts'
import { newFile } from '../staging/new-file.ts'
import { isAtLength } from '../support/at-length.ts'
import { freePort } from '../support/free-port.ts'
import { PROCESS_ENTRY } from '../support/process.ts'
import { test } from './dashboard-test.ts'
import { startOwnAgent } from './own-agent.ts'
import { startRehearsal } from './rehearsal.ts'
import { assertion, reportOf } from './report.ts'

test('runs all acceptance checks of this agent, shows progress, and they pass', async ({ open }) => {
  const port = await freePort()
  const planted = plantSecrets({ AGENT_ID: 'agent-7', MODEL_PROVIDER: 'offline', TEST_PORT: String(port) })
  const agent = await startAgentProcess(planted, {
    logFile: await newFile('agent.log'),
    url: `http://127.0.0.1:${port}`,
    entry: PROCESS_ENTRY,
  })
  onTestFinished(async () => void (await agent.process.end()))
  const gate = Promise.withResolvers<void>()
  // Other tests run all groups without a browser.
  const only: GroupId[] | undefined = isAtLength ? undefined : ['health', 'run', 'limits']
  const gated = async (options: CheckOptions) => {
    // This agent logs immediately.
    const report = await runChecks({ ...options, only, limits: { ...options.limits, logLateMs: 0 } })
    await gate.promise
    return report
  }
  const { url } = await startRehearsal({ agents: [agent], runChecks: gated })
  const page = await open(url)
  await page.getByRole('link', { name: 'Checks' }).click()
  await page.getByText('Not checked yet').waitFor()
  await page.getByRole('button', { name: 'Run the checks of agent-7' }).click()
  await page.getByRole('heading', { name: 'Acceptance checks 1' }).waitFor()
  await page.getByText('in progress', { exact: true }).first().waitFor()
  gate.resolve()
  await page.getByText(/^\d+ of \d+ assertions hold(?!.* so far)/).waitFor()
  expect(await page.locator('main .badge').first().innerText()).toBe('passed')
  // The platform stops the agent, not the checks.
  const shown = groups.filter(({ id }) => id !== 'end' && (only?.includes(id) ?? true))
  for (const { title } of shown) await page.getByRole('heading', { name: title }).waitFor()
  await page.getByRole('link', { name: 'All checks' }).click()
  await page.getByRole('link', { name: 'Checks 1' }).waitFor()
})

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
  await page.waitForURL(/run\/agent-7$/)
  await tabTo(page, 'Task')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('What is 6 times 7?')
  expect(await page.getByLabel('Tools').inputValue()).toBe('calculator')
  expect(await page.getByLabel('Own settings').inputValue()).toBe('{"tenant":"acme"}')
  await press('Run')
  await page.getByRole('group', { name: 'Output' }).getByText('42').waitFor()

  await press('Checks')
  await page.getByRole('heading', { name: 'Acceptance checks' }).waitFor()
  await press('Run the checks of agent-7')
  await page.getByText('1 of 3 assertions hold').waitFor()
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
