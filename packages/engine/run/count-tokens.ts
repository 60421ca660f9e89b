import { textWithCalls } from '@agent-task-service/messages/message-text'
import { wireTool } from '@agent-task-service/messages/offered-tools'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'

/** Longest piece given to the tokenizer at once, in characters: its cost grows with the square of a word's length. */
const PIECE_LENGTH = 256
/** Pieces counted per turn of the event loop, so that a megabyte of text does not block it. */
const PIECES_PER_TURN = 32
const RANKS_PER_TURN = 20_000
/** Longest texts that are counted whole, in characters: nobody needs a longer one to the token. */
const MAX_COUNTED = 65_536
/** The same when a reply is due and hundreds of runs may end at once. */
const MAX_COUNTED_AT_END = 8_192

interface Tokenizer {
  count(text: string): number
  /** The length of each token, in bytes of UTF-8. */
  lengthsIn(text: string): number[]
}

let tokenizer: Promise<Tokenizer> | undefined

const eventLoopTurn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Loads the o200k_base tokenizer once (75 MB), when a run first needs it. */
export function loadTokenizer(): Promise<Tokenizer> {
  tokenizer ??= loadInParts()
  return tokenizer
}

/** Loads in parts, yielding to the event loop in between. */
async function loadInParts(): Promise<Tokenizer> {
  const { GptEncoding } = await import('gpt-tokenizer/GptEncoding')
  const { default: ranks } = await import('gpt-tokenizer/bpeRanks/o200k_base')
  // Hashing the strings is most of the work below. V8 hashes a string when it first becomes a key, so do it in parts.
  for (let start = 0; start < ranks.length; start += RANKS_PER_TURN) {
    new Set(ranks.slice(start, start + RANKS_PER_TURN))
    await eventLoopTurn()
  }
  const encoding = GptEncoding.getEncodingApi('o200k_base', () => ranks)
  // Text that looks like a special token (`<|endoftext|>`) is still plain text.
  const asText = { disallowedSpecial: new Set<string>() }
  return {
    count: text => encoding.countTokens(text, asText),
    lengthsIn: text => encoding.encode(text, asText).map(token => Buffer.from(ranks[token] ?? '').length),
  }
}

/** Tokens of `text` in o200k_base; estimated if it is longer than 65,536 characters. */
export async function countTokens(text: string): Promise<number> {
  return await countOrEstimate([text], MAX_COUNTED)
}

/** The first `limit` tokens of `text` in o200k_base; fewer, if that would cut a character. */
export async function firstTokens(text: string, limit: number): Promise<string> {
  const { count, lengthsIn } = await loadTokenizer()
  let [start, left] = [0, limit]
  for await (const piece of piecesOf([text])) {
    const tokens = count(piece)
    if (tokens > left) return text.slice(0, start) + beginningOf(piece, lengthsIn(piece).slice(0, left))
    start += piece.length
    left -= tokens
  }
  return text
}

/** @param lengths of its first tokens, in bytes; the last ones are left out until no character is cut */
function beginningOf(piece: string, lengths: readonly number[]): string {
  const bytes = Buffer.from(piece)
  let end = lengths.reduce((sum, length) => sum + length, 0)
  for (let last = lengths.length - 1; isWithinCharacter(bytes[end]); last -= 1) end -= lengths[last] ?? 0
  return piece.slice(0, bytes.toString('utf8', 0, end).length)
}

/** Whether a byte of UTF-8 is not the first one of a character. */
function isWithinCharacter(byte = 0): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000
}

/** Tokens of the messages' text and tool calls in o200k_base, for when no provider has counted them. */
export async function countMessages(messages: readonly BaseMessage[]): Promise<number> {
  return await countOrEstimate(messages.map(textWithCalls), MAX_COUNTED)
}

/** What a model reads in a call. */
export interface ModelInput {
  readonly messages: readonly BaseMessage[]
  /** In any form that LangChain binds. */
  readonly tools?: readonly unknown[] | undefined
  /** OpenAI's `response_format`. */
  readonly responseFormat?: unknown
}

/** Tokens of the request's messages, tools and schema in o200k_base, for when no provider has counted them. */
export async function countRequest(request: ModelInput): Promise<number> {
  for (const tool of toolsOf(request))
    if (!toolTokens.has(tool)) toolTokens.set(tool, await countTokens(toolText(tool)))
  return await countInput(request, MAX_COUNTED)
}

/** The same when a reply is due: estimated beyond 8,192 characters. */
export async function estimateRequest(request: ModelInput): Promise<number> {
  return await countInput(request, MAX_COUNTED_AT_END)
}

/**
 * More tokens than a model reads for a request, whatever its tokenizer: twice those in o200k_base, and what providers add
 * around each message.
 */
export async function maxInputTokens(request: ModelInput): Promise<number> {
  return 2 * (await countRequest(request)) + 16 * request.messages.length + 64
}

/**
 * Tokens of tools as they are sent, without what separates them, which joins the token before it. Tools are the same in every
 * call, so each is counted once.
 */
const toolTokens = new WeakMap<object, number>()

/** @param limit longest text that is counted whole, in characters */
async function countInput(request: ModelInput, limit: number): Promise<number> {
  const { messages, responseFormat } = request
  const texts = messages.map(textWithCalls)
  if (responseFormat !== undefined) texts.push(JSON.stringify(responseFormat) ?? '')
  let ofTools = 0
  for (const tool of toolsOf(request)) {
    const tokens = toolTokens.get(tool)
    if (tokens === undefined) texts.push(toolText(tool))
    else ofTools += tokens
  }
  return ofTools + (await countOrEstimate(texts, limit))
}

function toolsOf({ tools = [] }: ModelInput): readonly object[] {
  return tools as readonly object[]
}

const toolTexts = new WeakMap<object, string>()

/** A tool as it is sent, written once: it is in the digest of each request. */
export function toolText(tool: object): string {
  const text = toolTexts.get(tool) ?? JSON.stringify(wireTool(tool as BindToolsInput))
  toolTexts.set(tool, text)
  return text
}

/** Tokens of the texts in o200k_base; estimated if they are longer than 8,192 characters. */
export async function estimateTokens(texts: readonly string[]): Promise<number> {
  return await countOrEstimate(texts, MAX_COUNTED_AT_END)
}

/** Beyond `limit` characters, counts an evenly spread sample of that length and extrapolates. */
async function countOrEstimate(texts: readonly string[], limit: number): Promise<number> {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length <= limit) return await count(texts)
  const whole = texts.join('')
  const size = limit / PIECE_LENGTH
  const sample = Array.from({ length: size }, (_, n) => {
    const start = Math.floor((n * (length - PIECE_LENGTH)) / (size - 1))
    return whole.slice(start, start + PIECE_LENGTH)
  })
  return Math.round(((await count(sample)) * length) / limit)
}

async function count(texts: readonly string[]): Promise<number> {
  const tokenizer = await loadTokenizer()
  let tokens = 0
  for await (const piece of piecesOf(texts)) tokens += tokenizer.count(piece)
  return tokens
}

/** The texts in pieces of at most 256 characters, cut at a space if possible; a few in each turn of the event loop. */
async function* piecesOf(texts: readonly string[]): AsyncIterable<string> {
  let pieces = 0
  for (const text of texts) {
    for (let start = 0; start < text.length; ) {
      const piece = pieceAt(text, start)
      yield piece
      start += piece.length
      if (++pieces % PIECES_PER_TURN === 0) await eventLoopTurn()
    }
  }
}

function pieceAt(text: string, start: number): string {
  const piece = text.slice(start, start + PIECE_LENGTH)
  if (start + PIECE_LENGTH >= text.length) return piece
  // o200k words carry their leading space, so a cut before a space changes no count.
  const space = piece.lastIndexOf(' ')
  if (space > 0) return piece.slice(0, space)
  // Both halves of a character are in one piece.
  return text.codePointAt(start + PIECE_LENGTH - 1)! > 0xffff ? piece.slice(0, -1) : piece
}
