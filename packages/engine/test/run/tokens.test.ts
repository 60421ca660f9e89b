import {
  countTokens,
  estimateTokens,
  firstTokens,
  loadTokenizer,
  maxInputTokens,
} from '@agent-task-service/engine/tokens'
import { HumanMessage } from '@langchain/core/messages'
import fc from 'fast-check'
import { countTokens as countInCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as countWhole } from 'gpt-tokenizer/encoding/o200k_base'
import { beforeAll, describe, expect, test } from 'vitest'
import { unbroken, words } from './long-texts.ts'

beforeAll(async () => void (await loadTokenizer()))

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
})
