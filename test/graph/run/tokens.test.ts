import { beforeAll, expect, test } from 'vitest'
import { countTokens, estimateTokens, loadTokenizer } from '../../../graph/run/tokens.ts'

beforeAll(async () => void (await loadTokenizer()))

/** Milliseconds of CPU time that this thread spends, whatever else the machine does. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

const words = 'the quick brown fox '.repeat(50_000)
/** A megabyte without spaces, the tokenizer's worst case. */
const unbroken = Array.from({ length: 1_000_000 }, (_, n) => ((n * 7919) % 36).toString(36)).join('')

test('counts a sample of a long text when a reply is due: a small part of the work', async () => {
  const whole = await cpuOf(() => countTokens(unbroken))
  expect(await cpuOf(() => estimateTokens([unbroken]))).toBeLessThan(whole / 4)
})

test.each([
  { name: 'words', text: words },
  { name: 'one unbroken word', text: unbroken },
])('assumes the rest is like the sample: $name', async ({ text }) => {
  const exact = await countTokens(text)
  const estimate = await estimateTokens([text])
  expect(Math.abs(estimate - exact) / exact).toBeLessThan(0.1)
})

test('counts short texts whole', async () => {
  const texts = [words.slice(0, 4_000), 'and more']
  expect(await estimateTokens(texts)).toBe((await countTokens(texts[0]!)) + (await countTokens(texts[1]!)))
})
