import type { RunRecord } from '@agent-task-service/rehearsal/api'
import { Random } from '@agent-task-service/test-support/random'
import { replies, scriptedAgent, success } from '@agent-task-service/test-support/scripted-agent'
import { streamingAgent } from '@agent-task-service/test-support/streaming-agent'
import { expect, test as plainTest } from 'vitest'
import { comparedFigures } from '../../pages/state/differences.ts'
import { finished } from '../records.ts'
import { beginRun, overhangOf, test, violationsOn } from './dashboard-test.ts'
import { startRehearsal } from './rehearsal.ts'

/** A run whose repeats took so long, in milliseconds; one of the failures among them, as it may be. */
function repeated(random: Random, wallMs: readonly number[]): RunRecord {
  const run = { durationSec: null, inputTokens: null, outputTokens: null, steps: null, costUsd: null }
  const ended = wallMs.map(ms => ({ ...run, status: 'success', wallMs: ms }))
  const failed = { ...run, status: 'error', wallMs: random.whole(0, 1e6) }
  const repeats = wallMs.length === 1 ? [] : [...ended, ...(random.happens(0.3) ? [failed] : [])]
  return { ...random.pick(ended), repeats } as unknown as RunRecord
}

const isTold = (runs: readonly [RunRecord, RunRecord]) => comparedFigures(runs)[0]!.isTold

// EVIDENCE-OF docs/guides/staging.md: A change is in bold, with its share, only beyond the noise: all repeats of one run lie beyond all
//   of the other, and are so many that chance brings that about in fewer than one of 100 comparisons.
plainTest(
  'chance alone is told as a change in fewer than one of 100 comparisons, whatever the repeats',
  () => {
    const random = new Random(Number(process.env.SAMPLE_SEED))
    for (const [one, other] of [
      ...([
        [1, 1],
        [2, 2],
        [1, 9],
        [3, 8],
        [4, 4],
        [5, 5],
        [20, 20],
      ] as const),
      [random.whole(1, 20), random.whole(1, 20)] as const,
    ]) {
      const timesOf = (length: number) => Array.from({ length }, () => 100 + random.delay(10_000))
      const told = Array.from({ length: 2_000 }, () =>
        isTold([repeated(random, timesOf(one)), repeated(random, timesOf(other))]),
      )
      // Three standard deviations above 1 in 100.
      expect(told.filter(Boolean).length, `${one} and ${other}`).toBeLessThan(34)
    }
  },
)

plainTest('a change beyond the range of repeats is told, one within it is not', () => {
  const random = new Random(Number(process.env.SAMPLE_SEED))
  for (let n = 0; n < 200; n += 1) {
    const [from, width, gap] = [random.whole(1, 10_000), random.whole(0, 5_000), random.whole(1, 5_000)]
    const within = (least: number) =>
      Array.from({ length: random.whole(5, 20) }, () => random.whole(least, least + width))
    const [low, high] = [within(from), within(from + width + gap)]
    expect(isTold([repeated(random, low), repeated(random, high)])).toBe(true)
    expect(isTold([repeated(random, high), repeated(random, low)])).toBe(true)
    const one = random.pick(high)
    expect(isTold([repeated(random, low), repeated(random, [one])])).toBe(false)
    expect(isTold([repeated(random, [...low, one]), repeated(random, high)])).toBe(Math.min(...high) > one)
  }
})

test.for([
  [1440, 'dark'],
  [390, 'light'],
] as const)(
  'a task runs several times, with median and range, and each run is reached, at %i pixels',
  async ([width, theme], { open }) => {
    const written = [3, 1, 2].values()
    const agent = await scriptedAgent(
      replies(id => ({
        ...success(id),
        metrics: { duration_sec: 0.01, input_tokens: 9, output_tokens: written.next().value, steps: 1 },
      })),
    )
    const { url, get } = await startRehearsal({ url: agent.url })
    const page = await open(`${url}/#/run/agent-7`, { width, theme })
    await page.getByLabel('Task', { exact: true }).fill('What is 6 times 7?')
    await page.getByLabel('time', { exact: true }).fill('3')
    await page.getByLabel('times', { exact: true }).press('Enter')
    const repeats = page.getByRole('region', { name: 'Repeats of run 1' })
    await repeats.getByText('Medians and ranges of 3 that succeeded, of 3.').waitFor()
    expect(await repeats.locator('.tile', { hasText: 'Tokens out' }).innerText()).toMatch(/2\s+1 – 3/)
    expect(await repeats.locator('.tile', { hasText: 'Tokens in' }).innerText()).toMatch(/9\s+always/)
    expect(await violationsOn(page)).toEqual([])
    expect(await overhangOf(page)).toBe(0)
    await repeats.getByRole('link', { name: 'Run 3' }).click()
    await page.getByRole('heading', { name: 'Run 3', exact: true }).waitFor()
    await page.getByRole('region', { name: 'Repeats of run 3' }).waitFor()
    const ids = await Promise.all([1, 2, 3].map(async n => (await get<RunRecord>(`/api/runs/${n}`)).taskId))
    expect(new Set(ids).size).toBe(3)
  },
)

test('a repeat that is cancelled is the last, and what goes on is seen after a reload', async ({ open }) => {
  const agent = await streamingAgent()
  const { url, get } = await startRehearsal({ url: agent.url })
  const page = await open(`${url}/#/run/agent-7`)
  await page.getByLabel('time', { exact: true }).fill('4')
  const first = await beginRun(page, agent, 'What is 6 times 7?')
  const second = agent.nextRun()
  first.finish(success(first.taskId))
  await second
  await page.reload()
  const repeats = page.getByRole('region', { name: 'Repeats of run 1' })
  await repeats.getByText('of 1 that succeeded, of 2 so far').waitFor()
  await repeats.getByText('in progress').waitFor()
  await repeats.getByRole('link', { name: 'Run 2' }).click()
  await page.getByRole('button', { name: 'Cancel run 2' }).click()
  await page.getByText('Medians and ranges of 1 that succeeded, of 2.').waitFor()
  expect(await get<RunRecord>('/api/runs/1')).toMatchObject({
    repeatsLeft: 0,
    repeats: [{ id: 1 }, { id: 2 }],
  })
})

test('two runs are compared by the medians of their repeats, and only what is beyond noise is bold', async ({
  open,
}) => {
  const { url, store } = await startRehearsal()
  const add = (n: number, first: number, wallMs: number, tokens: number) =>
    store.runs.add(
      finished({
        ...{ wallMs, repeatOf: n === 0 ? 'itself' : first },
        reply: JSON.stringify({
          ...success('test-1'),
          metrics: { duration_sec: 1, input_tokens: tokens, output_tokens: 5, steps: 1 },
        }),
      }),
    )
  for (let n = 0; n < 5; n += 1) add(n, 1, 1_000 + n * 100, 100)
  for (let n = 0; n < 5; n += 1) add(n, 6, 1_050 + n * 100, 150)
  const page = await open(`${url}/#/runs/6`)
  await page.getByRole('link', { name: 'Compare with run 5' }).click()
  const rows = page.getByRole('region', { name: 'Figures' }).getByRole('row')
  await rows.first().waitFor()
  const texts = (await rows.allInnerTexts()).map(text => text.replace(/\s+/g, ' ').trim())
  expect(texts.slice(0, 4)).toEqual([
    expect.stringMatching(/Run 5 median of 5 Run 6 median of 5 Change$/),
    'Wall clock 1.20 s 1 s – 1.40 s 1.25 s 1.05 s – 1.45 s +50 ms',
    'Reported 1 s always 1 s always same',
    'Tokens in 100 always 150 always +50 (+50%)',
  ])
  expect(await page.locator('td strong').allInnerTexts()).toEqual(['+50 (+50%)'])
  await page.getByText('Bold: beyond the noise.').waitFor()
  expect(await violationsOn(page)).toEqual([])
})
