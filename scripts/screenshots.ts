/**
 * As a script: takes the pictures `docs/images/dashboard-*.png` of a rehearsal with this project's agent, both on free
 * ports. Runs the acceptance checks and tasks, and first lets the platform watch the agent's health for a while.
 *
 *     node scripts/screenshots.ts [MINUTES]
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunRecord } from '@agent-task-service/rehearsal/api'
import { fakeKey } from '@agent-task-service/rehearsal/secrets'
import type { Browser, Page } from 'playwright-core'
import { readConfig } from '../packages/engine/config/config.ts'
import { listen } from '../packages/engine/http/server.ts'
import { warmUp } from '../packages/engine/process/warm-up.ts'
import { createService } from '../packages/engine/service/service.ts'
import { launchChromium } from '../packages/rehearsal/test/browser/chromium.ts'
import { agent } from '../src/agent.ts'

const IMAGES = 'docs/images'
const AGENT = 'agent-1'
const TASKS = [
  'What is 15% of 240?',
  'How many kilometres are 26.2 miles?',
  'What day of the week was 4 July 1776?',
  'What time is it in Tokyo when it is noon in Lisbon?',
  'What is the square root of 1764, and how many days are there between 1 March and 24 December 2026?',
  'Write a poem about the sea.',
  'What is (3.5 + 4.25) * 12?',
]
const SHOWN_TASK = 'What is 15% of 240, and what day of the week was 4 July 1776?'
const OTHER_TASK = 'What is 15% of 240, and what is 20% of 240?'
const VIEWPORT = { width: 1440, height: 640 }
/** Longer than the acceptance checks take. */
const CHECKS_MS = 5 * 60_000
const minutes = Number(process.argv[2] ?? 0)

const folder = await mkdtemp(join(tmpdir(), 'screenshots-'))
const log = join(folder, 'agent.log')
const token = fakeKey()
const config = readConfig({ AGENT_ID: AGENT, AGENT_TOKENS: token, MODEL_PROVIDER: 'offline' }, agent)
const service = await createService(agent, config, createWriteStream(log))
const { port, drain } = await listen(service, { port: 0, hostname: '127.0.0.1' })
await warmUp(agent, config, [], service.toolNames)
const platform = spawn(
  process.execPath,
  [
    ...['packages/cli/agent.js', 'staging', '--port', '0', '--db', join(folder, 'platform.db')],
    `${AGENT}=http://127.0.0.1:${port} log=${log}`,
  ],
  { env: { ...process.env, STAGING_AGENT_TOKEN_1: token }, stdio: ['ignore', 'pipe', 'inherit'] },
)
const ended = once(platform, 'close')
const browser = await launchChromium()
try {
  const url = await Promise.race([
    addressIn(platform.stdout),
    ended.then(([code]) => {
      throw new Error(`the platform exited at start with code ${code}`)
    }),
  ])
  await sleep(minutes * 60_000)
  await mkdir(IMAGES, { recursive: true })
  await takePictures(browser, url)
} finally {
  await browser.close()
  platform.kill('SIGTERM')
  await ended
  await drain(1_000)
  await rm(folder, { recursive: true })
}

async function takePictures(browser: Browser, url: string): Promise<void> {
  const page = await open(browser, url, 'light')
  await page.getByRole('button', { name: 'Run acceptance checks' }).click()
  await page.getByRole('button', { name: 'Run again' }).waitFor({ timeout: CHECKS_MS })
  for (const task of TASKS) await runTask(page, task)
  await page.getByRole('link', { name: 'Agents' }).click()
  await page.getByRole('link', { name: /^Checks 1/ }).waitFor()
  await page.screenshot({ path: `${IMAGES}/dashboard-light.png`, fullPage: true })

  const dark = await open(browser, url, 'dark')
  await runTask(dark, SHOWN_TASK)
  await dark.getByRole('group', { name: 'Graph' }).waitFor()
  await dark.getByText('Tool call 2').click()
  await dark.screenshot({ path: `${IMAGES}/dashboard-dark.png`, fullPage: true })

  for (const task of [SHOWN_TASK, OTHER_TASK]) await runTask(page, task)
  await page.getByRole('link', { name: 'Compare with run' }).click()
  await page.getByRole('region', { name: 'Steps', exact: true }).waitFor()
  await page.screenshot({ path: `${IMAGES}/dashboard-comparison.png`, fullPage: true })
}

async function open(browser: Browser, url: string, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser.newContext({ colorScheme, locale: 'en-GB', viewport: VIEWPORT })
  const page = await context.newPage()
  await page.goto(url)
  await page.getByRole('heading', { name: AGENT }).waitFor()
  return page
}

async function runTask(page: Page, task: string): Promise<void> {
  await page.getByRole('link', { name: 'Run', exact: true }).click()
  await page.getByRole('textbox', { name: 'Task', exact: true }).fill(task)
  const begun = page.waitForResponse(/\/runs$/)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const { id } = (await (await begun).json()) as RunRecord
  const panel = page.getByRole('region', { name: `Run ${id}`, exact: true })
  await panel.getByText('The reply follows the contract').waitFor()
}

/** The dashboard's address, from the platform's output at start. */
async function addressIn(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, address] = /dashboard +(http\S+)/.exec(line) ?? []
    if (address !== undefined) return address
  }
  throw new Error("expected the dashboard's address in the platform's output, got none")
}
