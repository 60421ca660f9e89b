/**
 * As a script: creates `docs/images/dashboard*.png`. Starts the rehearsal with this project's agent on port 8080, as
 * `npm run staging` does, sends it tasks, runs the acceptance checks, and takes screenshots of the dashboard.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { createRedact } from '../staging/redact.ts'
import { openStore } from '../staging/store/store.ts'
import { launchChromium } from '../test/browser/chromium.ts'

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
/** Two hours of health checks, one every half minute. */
const HEALTH_CHECKS = 239
const HEALTH_INTERVAL_MS = 30_000

const folder = await mkdtemp(join(tmpdir(), 'screenshots-'))
const database = join(folder, 'platform.db')
const platform = spawn(process.execPath, ['staging/main.ts', '--port', '0', '--db', database], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = once(platform, 'close')
const browser = await launchChromium()
try {
  const link = await Promise.race([
    linkIn(platform.stdout),
    ended.then(([code]) => {
      throw new Error(`the platform exited at start with code ${code}`)
    }),
  ])
  await takeHealthChecks()
  await mkdir(IMAGES, { recursive: true })
  await takePictures(browser, link)
} finally {
  await browser.close()
  platform.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true })
}

async function takePictures(browser: Browser, link: string): Promise<void> {
  const page = await open(browser, link, 1280, 'light')
  for (const task of TASKS) await runTask(page, task)
  await page.getByRole('link', { name: 'Agents' }).click()
  await page.getByText('Latest runs').waitFor()
  await page.screenshot({ path: `${IMAGES}/dashboard-light.png`, fullPage: true })

  await page.getByRole('button', { name: `Run the checks of ${AGENT}` }).click()
  const sentence = page.locator('.sentence')
  await sentence.filter({ hasNotText: 'so far' }).waitFor({ timeout: 600_000 })
  process.stdout.write(`${await sentence.innerText()}\n`)
  await page.screenshot({ path: `${IMAGES}/dashboard-checks.png` })

  const dark = await open(browser, link, 1280, 'dark')
  await runTask(dark, SHOWN_TASK)
  await dark.getByText('Tool call 2').click()
  await dark.screenshot({ path: `${IMAGES}/dashboard-dark.png`, fullPage: true })

  const phone = await open(browser, link, 390, 'light')
  await phone.getByText('Latest runs').waitFor()
  await phone.screenshot({ path: `${IMAGES}/dashboard-phone.png` })
}

async function open(
  browser: Browser,
  link: string,
  width: number,
  colorScheme: 'light' | 'dark',
): Promise<Page> {
  const viewport = { width, height: width < 760 ? 844 : 720 }
  const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(link)
  await page.getByRole('heading', { name: AGENT }).waitFor()
  return page
}

async function runTask(page: Page, task: string): Promise<void> {
  await page.getByRole('link', { name: 'Run', exact: true }).click()
  await page.getByRole('textbox', { name: 'Task', exact: true }).fill(task)
  const answered = page.waitForResponse(/\/run$/)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await answered
  await page.getByText('The reply follows the contract').waitFor()
}

/** Makes, in quick succession, the health checks that the platform's monitor would make over two hours. */
async function takeHealthChecks(): Promise<void> {
  const store = openStore(database, createRedact([]))
  const now = Date.now()
  for (let n = HEALTH_CHECKS; n > 0; n -= 1) {
    const startedAt = performance.now()
    const { ok } = await fetch('http://127.0.0.1:8080/health')
    const latencyMs = performance.now() - startedAt
    const at = new Date(now - n * HEALTH_INTERVAL_MS).toISOString()
    store.health.addCheck(AGENT, { at, ok, latencyMs, cause: ok ? null : 'not ok' })
  }
  store.close()
}

/** The link to the dashboard, from the platform's output at start. */
async function linkIn(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const link = /http\S+#token=\S+/.exec(line)?.[0]
    if (link !== undefined) return link
  }
  throw new Error("expected a link to the dashboard in the platform's output, got none")
}
