import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'

/** Longest piece given to the tokenizer at once, in characters: its cost grows with the square of a word's length. */
const PIECE_LENGTH = 256
/** Pieces counted per turn of the event loop, so that a megabyte of text does not block it. */
const PIECES_PER_TURN = 32
const RANKS_PER_TURN = 20_000
/** Longest texts that are counted whole, in characters: nobody needs a longer one to the token. */
const MAX_COUNTED = 65_536
/** The same when a reply is due and hundreds of runs may end at once. */
const MAX_COUNTED_AT_END = 8_192

type Count = (text: string) => number
let tokenizer: Promise<Count> | undefined

/** Loads the o200k_base tokenizer once (75 MB), when a run first needs it. */
export function loadTokenizer(): Promise<Count> {
  tokenizer ??= loadInParts()
  return tokenizer
}

/** Loads in parts, yielding to the event loop in between. */
async function loadInParts(): Promise<Count> {
  const { GptEncoding } = await import('gpt-tokenizer/GptEncoding')
  const { default: ranks } = await import('gpt-tokenizer/bpeRanks/o200k_base')
  // Hashing the strings is most of the work below. V8 hashes a string when it first becomes a key, so do it in parts.
  for (let start = 0; start < ranks.length; start += RANKS_PER_TURN) {
    new Set(ranks.slice(start, start + RANKS_PER_TURN))
    await new Promise(resolve => setImmediate(resolve))
  }
  const encoding = GptEncoding.getEncodingApi('o200k_base', () => ranks)
  // Text that looks like a special token (`<|endoftext|>`) is still plain text.
  const asText = { disallowedSpecial: new Set<string>() }
  return text => encoding.countTokens(text, asText)
}

/** Tokens of `text` in o200k_base; estimated if it is longer than 65,536 characters. */
export async function countTokens(text: string): Promise<number> {
  return await countOrEstimate([text], MAX_COUNTED)
}

/** Tokens of the messages' text and tool calls in o200k_base, for when no provider has counted them. */
export async function countMessages(messages: readonly BaseMessage[]): Promise<number> {
  return await countOrEstimate(messages.map(textOf), MAX_COUNTED)
}

/**
 * More tokens than a model reads for a request, whatever its tokenizer: twice those of its texts and tools in o200k_base,
 * and what providers add around each message.
 */
export async function maxInputTokens(
  messages: readonly BaseMessage[],
  tools: readonly unknown[],
): Promise<number> {
  const offered = JSON.stringify(tools.map(tool => convertToOpenAITool(tool as BindToolsInput)))
  return (
    2 * (await countOrEstimate([...messages.map(textOf), offered], MAX_COUNTED)) + 16 * messages.length + 64
  )
}

/** Tokens of the texts in o200k_base; estimated if they are longer than 8,192 characters. */
export async function estimateTokens(texts: readonly string[]): Promise<number> {
  return await countOrEstimate(texts, MAX_COUNTED_AT_END)
}

/** The text of a message whose tokens count. */
export function textOf(message: BaseMessage): string {
  const calls = 'tool_calls' in message ? (message as AIMessage).tool_calls : undefined
  return message.text + (calls?.length ? JSON.stringify(calls.map(({ name, args }) => ({ name, args }))) : '')
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

/** Counts in pieces of at most 256 characters, cut at a space if possible. */
async function count(texts: readonly string[]): Promise<number> {
  const countPiece = await loadTokenizer()
  let tokens = 0
  let pieces = 0
  for (const text of texts) {
    for (let start = 0; start < text.length; ) {
      const piece = pieceAt(text, start)
      tokens += countPiece(piece)
      start += piece.length
      if (++pieces % PIECES_PER_TURN === 0) await new Promise(resolve => setImmediate(resolve))
    }
  }
  return tokens
}

function pieceAt(text: string, start: number): string {
  const piece = text.slice(start, start + PIECE_LENGTH)
  if (start + PIECE_LENGTH >= text.length) return piece
  // o200k words carry their leading space, so a cut before a space changes no count.
  const space = piece.lastIndexOf(' ')
  return space > 0 ? piece.slice(0, space) : piece
}
