import type { AIMessage, BaseMessage } from '@langchain/core/messages'

/** Longest piece handed to the tokenizer at once: its cost grows with the square of an unbroken word. */
const PIECE_LENGTH = 256
/** Pieces between two turns of the event loop, so that a megabyte of text does not hold it. */
const PIECES_PER_TURN = 32

type Count = (text: string) => number
let tokenizer: Promise<Count> | undefined

/** Loads the o200k_base tokenizer (some 0.5 s and 75 MB, once): only runs that need it pay for it. */
export function loadTokenizer(): Promise<Count> {
  // Text that looks like a special token (`<|endoftext|>`) is a user's text all the same.
  const asText = { disallowedSpecial: new Set<string>() }
  tokenizer ??= import('gpt-tokenizer/encoding/o200k_base').then(
    encoding => text => encoding.countTokens(text, asText),
  )
  return tokenizer
}

/** Tokens of `text` in o200k_base; a text longer than 256 characters is counted piece by piece, cut at white space where there is some. */
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

/** Tokens of messages in o200k_base, where no provider has counted them: their text and their tool calls. */
export async function countMessages(messages: readonly BaseMessage[]): Promise<number> {
  let tokens = 0
  for (const message of messages) {
    const calls = 'tool_calls' in message ? (message as AIMessage).tool_calls : undefined
    tokens += await countTokens(
      message.text + (calls?.length ? JSON.stringify(calls.map(({ name, args }) => ({ name, args }))) : ''),
    )
  }
  return tokens
}
