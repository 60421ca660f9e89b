import {
  countRequest,
  countTokens,
  estimateRequest,
  estimateTokens,
  firstTokens,
  loadTokenizer,
} from '@agent-task-service/engine/tokens'
import { tool } from '@agent-task-service/test-support/sample-tools'
import { HumanMessage } from '@langchain/core/messages'
import { beforeAll, expect, test, vi } from 'vitest'
import { unbroken, words } from './long-texts.ts'

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

test('the first tokens of a long text cost what they are, not what it is', async () => {
  const characters = await charactersOf(() => firstTokens(unbroken(65_536).repeat(30), 1_000))
  expect(characters).toBeLessThan(8_000)
})
