import {
  countRequest,
  countTokens,
  estimateRequest,
  estimateTokens,
  firstTokens,
  loadTokenizer,
  maxInputTokens,
} from '@agent-task-service/engine/tokens'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { HumanMessage } from '@langchain/core/messages'
import fc from 'fast-check'
import { countTokens as countInCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countWhole } from 'gpt-tokenizer/encoding/o200k_base'
import { beforeAll, describe, expect, test, vi } from 'vitest'

beforeAll(async () => void (await loadTokenizer()))

/** What the tokenizer is given. */
const given = vi.hoisted((): string[] => [])
vi.mock(import('gpt-tokenizer/GptEncoding'), async original => {
  const { GptEncoding } = await original()
  const { getEncodingApi } = GptEncoding
  GptEncoding.getEncodingApi = (...ranks) => {
    const api = getEncodingApi.apply(GptEncoding, ranks)
    const { countTokens, encode } = api
    const note = <Text>(text: Text) => {
      given.push(String(text))
      return text
    }
    return Object.assign(api, {
      countTokens: ((text, options) => countTokens(note(text), options)) as typeof countTokens,
      encode: ((text, options) => encode(note(text), options)) as typeof encode,
    })
  }
  return { GptEncoding }
})

/** Letters and digits without a pattern. */
function unbroken(length: number): string {
  let state = 1
  const letter = () => {
    state = (state * 48_271) % 2_147_483_647
    return (state % 36).toString(36)
  }
  return Array.from({ length }, letter).join('')
}

const words = 'the quick brown fox '.repeat(3_000)

/** The characters that this gives the tokenizer, in pieces short enough for their cost to be their length. */
async function charactersOf(work: () => Promise<unknown>): Promise<number> {
  given.length = 0
  await work()
  for (const piece of given) expect(piece.length).toBeLessThanOrEqual(256)
  return given.join('').length
}

// EVIDENCE-OF docs/reference/threat-model.md: Tokens of long texts are estimated
test('a long text takes hardly more than the longest that is counted whole, with spaces or without', async () => {
  const longest = unbroken(65_536)
  expect(await charactersOf(() => countTokens(longest))).toBe(65_536)
  for (const text of [longest.repeat(30), `first ${longest.repeat(30)}`, words.repeat(30)])
    expect(await charactersOf(() => countTokens(text))).toBeLessThanOrEqual(65_536)
})

test('counts a smaller sample when a reply is due', async () => {
  expect(await charactersOf(() => estimateTokens([unbroken(100_000)]))).toBeLessThanOrEqual(8_192)
})

test('a tool is counted once, however many calls offer it', async () => {
  const offered = Array.from({ length: 100 }, (_, index) => tool(`lookup_${index}`, () => ''))
  const request = { messages: [new HumanMessage('Who is it?')], tools: offered }
  const first = await charactersOf(() => countRequest(request))
  expect(first).toBeGreaterThan(10_000)
  expect(await charactersOf(() => countRequest(request))).toBe('Who is it?'.length)
  expect(await charactersOf(() => estimateRequest(request))).toBe('Who is it?'.length)
})

test('tools that are not counted yet are estimated when a reply is due', async () => {
  const offered = Array.from({ length: 300 }, (_, index) => tool(`lookup_${index}`, () => ''))
  const request = { messages: [], tools: offered }
  expect(await charactersOf(() => estimateRequest(request))).toBeLessThanOrEqual(8_192)
  const estimate = await estimateRequest(request)
  expect(estimate / (await countRequest(request))).toBeCloseTo(1, 1)
})

test.each([
  { name: 'words', text: words },
  { name: 'one unbroken word', text: unbroken(60_000) },
])('assumes the rest is like the sample: $name', async ({ text }) => {
  const exact = await countTokens(text)
  expect(Math.abs((await estimateTokens([text])) - exact) / exact).toBeLessThan(0.1)
  expect(Math.abs((await countTokens(text.repeat(10))) / 10 - exact) / exact).toBeLessThan(0.1)
})

test('counts short texts whole: words exactly', async () => {
  expect(await countTokens(words)).toBe(countWhole(words))
  const texts = [words.slice(0, 4_000), 'and more']
  expect(await estimateTokens(texts)).toBe(countWhole(texts[0]!) + countWhole(texts[1]!))
})

const TEXTS = {
  English: 'The quick brown fox jumps over the lazy dog, and then it sleeps until the morning comes.',
  German: 'Die Geschwindigkeitsbegrenzung gilt außerhalb geschlossener Ortschaften für alle Fahrzeuge.',
  Russian: 'Быстрая коричневая лиса прыгает через ленивую собаку и потом долго спит.',
  Chinese: '敏捷的棕色狐狸跳过了懒狗，然后一直睡到早晨。',
  Arabic: 'الثعلب البني السريع يقفز فوق الكلب الكسول ثم ينام حتى الصباح.',
  code: 'for (const [key, value] of Object.entries(settings)) if (value === undefined) delete settings[key]',
}

test.each(Object.entries(TEXTS))(
  'the bound on what a call reads holds for another tokenizer: %s',
  async (_, text) => {
    const long = `${text} `.repeat(20)
    expect(await maxInputTokens({ messages: [new HumanMessage(long)] })).toBeGreaterThan(countInCl100k(long))
  },
)

describe('the first tokens of a text', () => {
  test.each([
    [
      'a text that fits, whose beginnings have more tokens',
      'Five words of the answer',
      5,
      'Five words of the answer',
    ],
    ['words', 'Five words of the answer', 3, 'Five words of'],
    ['a token within a word', 'unbelievable', 1, 'un'],
    ['what looks like a special token', '<|endoftext|> and more', 2, '<|'],
    ['a character that takes several tokens', 'a𓀀', 2, 'a'],
    ['nothing', 'a', 0, ''],
  ])('of %s', async (_what, text, limit, first) => {
    expect(await firstTokens(text, limit)).toBe(first)
  })

  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 600 }),
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'é', '猫', '👍🏽', '𓀀', '1', "'s"), maxLength: 600 }),
  )

  test('are a beginning of it, well formed, and no more than asked; all of it if it fits', async () => {
    await fc.assert(
      fc.asyncProperty(text, fc.nat(200), async (text, limit) => {
        const first = await firstTokens(text, limit)
        expect(text.startsWith(first)).toBe(true)
        expect(first.isWellFormed()).toBe(true)
        expect(await countTokens(first)).toBeLessThanOrEqual(limit)
        if ((await countTokens(text)) <= limit) expect(first).toBe(text)
      }),
    )
  })

  test('of a long text cost what they are, not what it is', async () => {
    const characters = await charactersOf(() => firstTokens(unbroken(65_536).repeat(30), 1_000))
    expect(characters).toBeLessThan(8_000)
  })
})
