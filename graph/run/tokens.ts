import type { AIMessage, BaseMessage } from '@langchain/core/messages'

/** Longest piece given to the tokenizer at once, in characters: its cost grows with the square of a word's length. */
const PIECE_LENGTH = 256
/** Pieces counted per turn of the event loop, so that a megabyte of text does not block it. */
const PIECES_PER_TURN = 32
const RANKS_PER_TURN = 20_000
const SAMPLE_LENGTH = PIECE_LENGTH * PIECES_PER_TURN

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

/** Tokens of `text` in o200k_base. A text over 256 characters is counted in pieces, cut at a space if possible. */
export async function countTokens(text: string): Promise<number> {
  const count = await loadTokenizer()
  let tokens = 0
  let pieces = 0
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start)
    tokens += count(text.slice(start, end))
    start = end
    if (++pieces % PIECES_PER_TURN === 0) await new Promise(resolve => setImmediate(resolve))
  }
  return tokens
}

function pieceEnd(text: string, start: number): number {
  const end = start + PIECE_LENGTH
  if (end >= text.length) return text.length
  // o200k words carry their leading space, so a cut before a space changes no count.
  const space = text.lastIndexOf(' ', end)
  return space > start ? space : end
}

/** Tokens of the messages' text and tool calls in o200k_base, for when no provider has counted them. */
export async function countMessages(messages: readonly BaseMessage[]): Promise<number> {
  return await countAll(messages.map(textOf))
}

/**
 * Estimates the tokens when a reply is due and hundreds of runs with a megabyte each may end at once: beyond 8,192
 * characters it counts an evenly spread sample of that length and extrapolates.
 */
export async function estimateTokens(texts: readonly string[]): Promise<number> {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length <= SAMPLE_LENGTH) return await countAll(texts)
  const whole = texts.join('')
  const sample = Array.from({ length: PIECES_PER_TURN }, (_, n) => {
    const start = Math.floor((n * (length - PIECE_LENGTH)) / (PIECES_PER_TURN - 1))
    return whole.slice(start, start + PIECE_LENGTH)
  })
  return Math.round(((await countAll(sample)) * length) / SAMPLE_LENGTH)
}

/** The text of a message whose tokens count. */
export function textOf(message: BaseMessage): string {
  const calls = 'tool_calls' in message ? (message as AIMessage).tool_calls : undefined
  return message.text + (calls?.length ? JSON.stringify(calls.map(({ name, args }) => ({ name, args }))) : '')
}

async function countAll(texts: readonly string[]): Promise<number> {
  let tokens = 0
  for (const text of texts) tokens += await countTokens(text)
  return tokens
}
