import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { plantSecrets, startOwnAgent as startAgentProcess } from '../../staging/agents/own-agent.ts'
import { type CheckOptions, groups, runChecks } from '../../staging/checks/run-checks.ts'
import { freePort } from '../support/free-port.ts'
import { PROCESS_ENTRY } from '../support/process.ts'
import { overhangOf, test } from './dashboard-test.ts'
import { startOwnAgent } from './own-agent.ts'
import { startRehearsal } from './rehearsal.ts'

const TASK = 'What is 15% of 240, and what day of the week was 4 July 1776?'

test.for([
  { width: 1280, theme: 'light' },
  { width: 390, theme: 'dark' },
] as const)(
  'a task is run, and is in the history after a restart ($width pixels, $theme)',
  async (look, { open }) => {
    const folder = await mkdtemp(join(tmpdir(), 'rehearsal-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'platform.db')
    const { url } = await startOwnAgent()

    const first = await startRehearsal({ url, file })
    const page = await open(first.link, look)
    await page.getByText('available', { exact: true }).first().waitFor()
    expect(page.url()).toBe(`${first.url}/#/`)
    await page.getByRole('link', { name: 'Run a task on agent-7' }).click()
    await page.getByRole('textbox', { name: 'Task', exact: true }).fill(TASK)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    const output = page.getByRole('group', { name: 'Output' })
    await output.getByText('15% of 240 = 36').waitFor()
    await page.getByText('4 steps').click()
    expect(await page.getByText(/^Tool call \d · calculator$/).isVisible()).toBe(true)
    expect(await page.getByText(/^Tool call \d · time$/).isVisible()).toBe(true)
    expect(await overhangOf(page)).toBe(0)
    await page.close()
    await first.end()

    const second = await startRehearsal({ url, file })
    const later = await open(second.link, look)
    await later.getByRole('link', { name: 'History' }).click()
    await later.getByText(TASK).waitFor()
    await later.getByRole('link', { name: /^(Run )?1$/ }).click()
    await later.getByRole('heading', { name: 'Run 1' }).waitFor()
    await later.getByRole('group', { name: 'Output' }).getByText('15% of 240 = 36').waitFor()
    await later.goBack()
    await later.getByText(TASK).waitFor()
    expect(await overhangOf(later)).toBe(0)
  },
)

test('all acceptance checks of this agent run, show how far they are, and pass', async ({ open }) => {
  const folder = await mkdtemp(join(tmpdir(), 'rehearsal-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const port = await freePort()
  const planted = plantSecrets({ AGENT_ID: 'agent-7', MODEL_PROVIDER: 'offline', TEST_PORT: String(port) })
  const agent = await startAgentProcess(planted, {
    logFile: join(folder, 'agent.log'),
    url: `http://127.0.0.1:${port}`,
    entry: PROCESS_ENTRY,
  })
  onTestFinished(async () => void (await agent.process.end()))
  const gate = Promise.withResolvers<void>()
  const gated = async (options: CheckOptions) => {
    const report = await runChecks(options)
    await gate.promise
    return report
  }
  const { link } = await startRehearsal({ agents: [agent], runChecks: gated })
  const page = await open(link)
  await page.getByRole('link', { name: 'Checks' }).click()
  await page.getByText('Not checked yet').waitFor()
  await page.getByRole('button', { name: 'Run the checks of agent-7' }).click()
  await page.getByRole('heading', { name: 'Acceptance checks 1' }).waitFor()
  await page.getByText('under way', { exact: true }).first().waitFor()
  gate.resolve()
  await page.getByText(/^\d+ of \d+ assertions hold/).waitFor()
  expect(await page.locator('.check-head').innerText()).toMatch(/^passed/)
  // The agent's end is the platform's, not the checks'.
  const shown = groups.filter(({ id }) => id !== 'end')
  for (const { title } of shown) await page.getByRole('heading', { name: title }).waitFor()
  await page.getByRole('link', { name: 'All checks' }).click()
  await page.getByRole('link', { name: 'Checks 1' }).waitFor()
})

test('a task is run with the keyboard alone', async ({ open }) => {
  const { url } = await startOwnAgent()
  const { link } = await startRehearsal({ url })
  const page = await open(link)
  await page.getByRole('link', { name: 'Run a task on agent-7' }).waitFor()
  await tabTo(page, 'Skip to content')
  await page.keyboard.press('Enter')
  await tabTo(page, 'Run a task on agent-7')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Run a task' }).waitFor()
  await tabTo(page, 'Task')
  await page.keyboard.type('What is 6 times 7?')
  await tabTo(page, "All the agent's own")
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await tabTo(page, 'calculator')
  await page.keyboard.press('Space')
  await tabTo(page, 'Run')
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'Output' }).getByText('42').waitFor()
  expect(await focused(page)).toBe('The run')
  await tabTo(page, 'Raw exchange')
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'Request' }).getByText('"calculator"').waitFor()
})

/** Goes on by the tabulator until a control of that name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = []
  while (passed.at(-1) !== name) {
    if (passed.length > 40) throw new Error(`expected to come to ${name}, came past ${passed.join(', ')}`)
    await page.keyboard.press('Tab')
    passed.push(await focused(page))
  }
}

/** What the control with the focus is called. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate<string>(`(() => {
    const { activeElement: control } = document
    return control.ariaLabel ?? control.labels?.[0]?.textContent ?? control.textContent
  })()`)
}
