import type { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import axe from 'axe-core'
import type { Browser, Locator, Page } from 'playwright-core'
import { test as base, expect } from 'vitest'
import { launchChromium } from './chromium.ts'

export interface Look {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
  readonly hasTouch?: boolean
  /** Console messages that belong to the test. */
  readonly expected?: RegExp
}

interface Fixtures {
  readonly browser: Browser
  /**
   * Opens an address. When the test ends, the page must have been quiet: no error or warning on its console (a
   * violation of its content security policy is one), no dialog, no request to another origin.
   */
  readonly open: (link: string, look?: Look) => Promise<Page>
}

/** A test with a browser, one per worker. */
export const test = base.extend<Fixtures>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of further fixtures from it
    async ({}, use) => {
      const browser = await launchChromium()
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  open: async ({ browser }, use) => {
    const faults: string[] = []
    const closers: (() => Promise<void>)[] = []
    await use(
      async (link, { width = 1280, height = 800, theme = 'light', hasTouch = false, expected } = {}) => {
        const context = await browser.newContext({
          viewport: { width, height },
          colorScheme: theme,
          hasTouch,
          locale: 'en-GB',
          timezoneId: 'UTC',
        })
        const page = await context.newPage()
        closers.push(async () => {
          // What a test makes of replies may be at work on one.
          await page.unrouteAll({ behavior: 'ignoreErrors' })
          await context.close()
        })
        page.setDefaultTimeout(30_000)
        page.on('console', message => {
          const isFault = message.type() === 'error' || message.type() === 'warning'
          if (isFault && !expected?.test(message.text())) faults.push(message.text())
        })
        page.on('pageerror', error => faults.push(String(error)))
        page.on('dialog', dialog => {
          faults.push(`a dialog: ${dialog.message()}`)
          void dialog.dismiss()
        })
        page.on('request', request => {
          if (!request.url().startsWith(new URL(link).origin)) faults.push(`asked for ${request.url()}`)
        })
        await page.goto(link)
        return page
      },
    )
    for (const close of closers) await close()
    expect(faults).toEqual([])
  },
})

/** Violations that axe finds on a page, by rule and element. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<axe.AxeResults>('axe.run()')
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** How many pixels a page is wider than its window. */
export async function overhangOf(page: Page): Promise<number> {
  return await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
}

/** Finds which of the page's colours a canvas has between two heights; in a copy, since reading a canvas often warns. */
const colorsOnCanvas = new Function(
  'element',
  'heights',
  `
  const [from, to] = heights
  const canvas = element.querySelector('canvas')
  const { width, height } = canvas
  const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  copy.drawImage(canvas, 0, 0)
  const top = Math.floor(height * from)
  const { data } = copy.getImageData(0, top, width, Math.ceil(height * to) - top)
  const probe = element.appendChild(document.createElement('i'))
  const has = ([red, green, blue]) => {
    for (let at = 0; at < data.length; at += 4)
      if (data[at + 3] > 200 && Math.hypot(data[at] - red, data[at + 1] - green, data[at + 2] - blue) < 16) return true
  }
  const named = ['accent', 'text', 'good', 'bad', 'warn'].filter(name => {
    probe.style.color = 'var(--' + name + ')'
    return has(getComputedStyle(probe).color.match(/\\d+/g).map(Number))
  })
  probe.remove()
  return named`,
) as (element: unknown, heights: readonly [number, number]) => string[]

/** Which of the page's colours a chart has, between two heights from its top, of all its height. */
export async function colorsOn(chart: Locator, from = 0, to = 1): Promise<string[]> {
  return await chart.evaluate(colorsOnCanvas, [from, to] as const)
}

/** Sends a task through the form on the page to an agent that the test controls; the run, once it has come there. */
export async function beginRun(page: Page, agent: StreamingAgent, task: string) {
  const arrived = agent.nextRun()
  await runTask(page, task)
  return await arrived
}

type StreamingAgent = Awaited<ReturnType<typeof streamingAgent>>

/** Sends a task through the form on the page. */
export async function runTask(page: Page, task: string): Promise<void> {
  await page.getByLabel('Task', { exact: true }).fill(task)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
}
