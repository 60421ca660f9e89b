import type { AgentView } from '@agent-task-service/rehearsal/api'
import type { CheckOptions } from '@agent-task-service/rehearsal/checks'
import type { Report } from '@agent-task-service/rehearsal/report'
import { Random } from '@agent-task-service/test-support/random'
import { scriptedAgent } from '@agent-task-service/test-support/scripted-agent'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { finished } from '../records.ts'
import { overhangOf, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'
import { assertion, reportOf } from './report.ts'

const NOW = new Date().toISOString()
const LONG = 'the model named no tool and gave no answer, so that nothing could be compared, '.repeat(4)

/** What the platform says of its agents, from now on, with a change to each. */
async function says(page: Page, change: (agent: AgentView, index: number) => Partial<AgentView>) {
  await page.route('**/api/agents', async route => {
    const { agents } = (await (await route.fetch()).json()) as { agents: AgentView[] }
    await route.fulfill({ json: { agents: agents.map((one, index) => ({ ...one, ...change(one, index) })) } })
  })
}

const row = (page: Page, name: string) => page.getByRole('article', { name })
const tile = (within: Locator, name: string) =>
  within.locator('.tile', { has: within.page().getByText(name, { exact: true }) })

/** The heights of the bars of a tone, as shares of the chart's. */
async function barsIn(within: Locator, tone: 'good' | 'bad'): Promise<number[]> {
  const path = await tile(within, '/health').locator(`path.tone-${tone}`).getAttribute('d')
  return [...path!.matchAll(/V([\d.]+)/g)].map(([, top]) => 1 - Number(top))
}

test('polls of 14 and 94 ms differ in height, beside one of any length; failed ones are as high as it gets', async ({
  open,
}) => {
  const { url } = await startRehearsal()
  const page = await open(`${url}/#/run`)
  const seed = Number(process.env.SAMPLE_SEED)
  for (const slowMs of [94, 4_999, new Random(seed).whole(94, 4_999)]) {
    const polls = [14, 94, slowMs].map(latencyMs => ({ at: NOW, ok: true, latencyMs, cause: null }))
    const failed = { at: NOW, ok: false, latencyMs: 1, cause: 'expected HTTP 200, got 500' }
    await says(page, () => ({ polls: [...polls, failed] }))
    await page.evaluate(`location.hash = '#/'`)
    await row(page, 'agent-7').getByText('94 ms', { exact: true }).waitFor()
    const [quick, slower, slow] = await barsIn(row(page, 'agent-7'), 'good')
    expect(slower! - quick!).toBeGreaterThan(0.2)
    expect(slow).toBeLessThanOrEqual(1)
    expect(await barsIn(row(page, 'agent-7'), 'bad')).toEqual([1])
    await row(page, 'agent-7').getByText('1 of 4 failed').waitFor()
    await page.evaluate(`location.hash = '#/run'`)
    await page.unroute('**/api/agents')
  }
})

test.for([
  [1440, 'light'],
  [768, 'dark'],
  [390, 'light'],
] as const)(
  'a row for each agent, what is down first, with what people asked of it, at %i pixels',
  async ([width, theme], { open }) => {
    const agents = ['agent-1', 'agent-2', 'agent-3', 'agent-4'].map(id => ({ id, url: 'http://127.0.0.1:9' }))
    const { url, store, call } = await startRehearsal({
      agents,
      runChecks: async ({ url }) => ({ ...reportOf(assertion('first', 'pass')), url, verdict: 'passed' }),
    })
    const states = ['available', 'unknown', 'unavailable', 'available'] as const
    for (let n = 0; n < 40; n += 1) {
      const error = n % 8 === 0 ? 'no model' : `no answer after ${n} s`
      const failed = {
        status: 'error',
        reply: JSON.stringify({ status: 'error', output: '', error }),
      } as const
      store.runs.add(
        finished({
          ...{ agentId: 'agent-3', wallMs: 100 * n, at: new Date(Date.now() - n * 1_000_000) },
          events: [{ type: 'run_finished', data: { cost_usd: 0.25 } }],
          ...(n % 4 === 0 && failed),
        }),
      )
    }
    store.runs.add(finished({ agentId: 'agent-3', byChecks: true, status: 'error' }))
    store.runs.add(finished({ agentId: 'agent-3', at: new Date(Date.now() - 2 * 86_400_000) }))
    await call('/api/agents/agent-3/checks', { method: 'POST' })
    const page = await open(`${url}/#/run`, { width, theme })
    await says(page, ({ polls }, index) => ({
      ...{ state: states[index]!, failuresInARow: index === 3 ? 1 : 0, polls },
      underway: index === 0 ? [7, 8, 9, 10, 11] : [],
    }))
    await page.getByRole('link', { name: 'Agents' }).click()
    const rows = page.getByRole('article')
    await expect
      .poll(() => rows.getByRole('heading').allInnerTexts())
      .toEqual(['agent-3', 'agent-4', 'agent-2', 'agent-1'])
    const down = row(page, 'agent-3')
    await tile(down, 'Success').getByText('30 of 40').waitFor()
    expect(await tile(down, 'Success').innerText()).toContain('75%')
    expect(await tile(down, 'p95').innerText()).toContain('3.70 s')
    expect(await tile(down, 'Tokens').innerText()).toMatch(/[\d,]{3}/)
    expect(await tile(down, 'Cost').innerText()).toContain('$10')
    for (const name of ['Tokens over time', 'Cost over time']) {
      const line = await down.getByRole('img', { name }).locator('path').getAttribute('d')
      expect(new Set(line!.match(/ [\d.]+/g)).size).toBeGreaterThan(1)
    }
    expect(await tile(down, 'Last checks').innerText()).toMatch(/passed\s+1 of 1, \d+ s ago/)
    expect(
      await row(page, 'agent-1')
        .getByRole('link', { name: /^Run \d/ })
        .allInnerTexts(),
    ).toEqual([...['Run 9', 'Run 10', 'Run 11']])
    await row(page, 'agent-1').getByText('5 in flight').waitFor()
    expect(await violationsOn(page)).toEqual([])
    expect(await overhangOf(page)).toBe(0)
    const boxes = await Promise.all((await rows.all()).map(one => one.boundingBox()))
    // As high as a card was: three of them fill no screen.
    if (width === 1440) for (const box of boxes) expect(box!.height).toBeLessThan(180)

    const causes = tile(down, 'Errors by cause')
    expect((await causes.locator('.note').allInnerTexts())[0]).toMatch(/^5 × no model$|^5 × no answer/)
    await causes.getByRole('link', { name: 'no model' }).click()
    await page.getByText('Show the others too').waitFor()
    await expect.poll(() => page.getByRole('list', { name: 'Runs' }).getByRole('listitem').count()).toBe(5)
  },
)

test('the verdict of the last checks stays while new ones run, and is not hidden by broken ones', async ({
  open,
}) => {
  const begun = [
    async () => reportOf(assertion('first', 'fail')),
    () => Promise.reject(new Error('a fault of the checks')),
    ({ signal }: CheckOptions) =>
      new Promise<Report>(resolve => signal!.addEventListener('abort', () => resolve(reportOf()))),
  ]
  const { url, call, get } = await startRehearsal({ runChecks: options => begun.shift()!(options) })
  const page = await open(url)
  await tile(row(page, 'agent-7'), 'Last checks').getByText('not checked yet').waitFor()
  for (const [id, state] of ['failed', 'broken', 'underway'].entries()) {
    await call('/api/agents/agent-7/checks', { method: 'POST' })
    await expect.poll(async () => (await get<{ state: string }>(`/api/checks/${id + 1}`)).state).toBe(state)
  }
  await row(page, 'agent-7').getByText('Acceptance checks in progress').waitFor()
  await row(page, 'agent-7').getByRole('link', { name: 'Checks 1: failed' }).click()
  await page.getByRole('heading', { name: 'Acceptance checks 1' }).waitFor()
})

test('a poll on demand counts, and says why it failed', async ({ open }) => {
  let fails = false
  const agent = await scriptedAgent((_request, response) => {
    response.statusCode = fails ? 500 : 200
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ status: 'ok', agent_id: 'agent-7', agent_name: 'An agent' }))
  })
  const { url } = await startRehearsal({ url: agent.url })
  const page = await open(url)
  const card = row(page, 'agent-7')
  await card.getByText('Answered in').waitFor()
  fails = true
  await card.getByRole('button', { name: 'Poll /health' }).click()
  await card.getByText('Failed: expected HTTP 200, got 500').waitFor()
  await card.getByText(/^1 of \d failed$/).waitFor()
  expect(await barsIn(card, 'bad')).toEqual([1])
})

test('a browser whose language is none shows the page, and its charts', async ({ open }) => {
  const { url, store } = await startRehearsal()
  store.runs.add(finished())
  const page = await open(url)
  await page.addInitScript(
    `Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })`,
  )
  await page.reload()
  await page.getByRole('img', { name: 'Polls of /health' }).waitFor()
  await page.goto(`${url}/#/runs`)
  await page.getByRole('img', { name: 'p50 and p95' }).waitFor()
  await expect.poll(() => page.locator('canvas').count()).toBe(2)
})

test('the cause that checks found is read to its end', async ({ open }) => {
  const report = { ...reportOf(assertion('run.first', 'fail')), cause: LONG.trim() }
  const { url, call, get } = await startRehearsal({ runChecks: async () => report })
  await call('/api/agents/agent-7/checks', { method: 'POST' })
  await expect.poll(async () => (await get<{ state: string }>('/api/checks/1')).state).toBe('failed')
  for (const [width, hash] of [
    [1440, '#/'],
    [390, '#/'],
    [768, '#/checks'],
  ] as const) {
    const page = await open(`${url}/${hash}`, { width })
    const cause = page.getByText('nothing could be compared').first()
    await cause.waitFor()
    expect(await cause.evaluate(node => node.scrollWidth <= node.clientWidth || node.clientWidth === 0)).toBe(
      true,
    )
    expect((await cause.boundingBox())!.height).toBeGreaterThan(16)
    expect(await overhangOf(page)).toBe(0)
  }
})
