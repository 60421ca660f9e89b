import { textWithCalls } from '@agent-task-service/messages/message-text'
import { truncateWithNote } from '@agent-task-service/wire/untrusted'
import { type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { estimateTokens } from '../run/count-tokens.ts'

/** How much of a tool's result a shortened conversation keeps, in characters. */
const KEPT_LENGTH = 500
/** Bytes of a UTF-16 code unit in UTF-8. */
const MAX_BYTES = 3

/**
 * The conversation within the room that there is: tool results are truncated, oldest first; if that is not enough, the oldest
 * turns are left out. The system message and the latest turn stay.
 *
 * @param room in tokens
 * @returns the same messages if they fit, or nothing can be shortened
 */
export async function shortened(messages: BaseMessage[], room: number): Promise<BaseMessage[]> {
  if (room === Infinity) return messages
  const texts = messages.map(textWithCalls)
  // No text has more tokens than bytes in UTF-8.
  if (texts.reduce((bytes, { length }) => bytes + MAX_BYTES * length, 0) <= room) return messages
  const sizes = new Map<BaseMessage, number>()
  for (const [index, message] of messages.entries()) sizes.set(message, await estimateTokens([texts[index]!]))
  const short = await truncateResults(messages, sizes, sumOf(messages, sizes) - room)
  const kept = sumOf(short, sizes) > room ? withoutOldTurns(short, sizes, room) : short
  return kept.length === messages.length && kept.every((message, at) => message === messages[at])
    ? messages
    : kept
}

/** Tokens of a conversation, estimated. */
export async function sizeOf(messages: readonly BaseMessage[]): Promise<number> {
  return await estimateTokens(messages.map(textWithCalls))
}

function sumOf(messages: readonly BaseMessage[], sizes: ReadonlyMap<BaseMessage, number>): number {
  return messages.reduce((sum, message) => sum + (sizes.get(message) ?? 0), 0)
}

/**
 * Truncates tool results, oldest first, until the excess is gone.
 *
 * @param sizes tokens of each message; gets those of the truncated ones
 */
async function truncateResults(
  messages: readonly BaseMessage[],
  sizes: Map<BaseMessage, number>,
  tooMany: number,
): Promise<BaseMessage[]> {
  let excess = tooMany
  const short: BaseMessage[] = []
  for (const message of messages) {
    const { text } = message
    if (excess <= 0 || message.type !== 'tool' || text.length <= KEPT_LENGTH) {
      short.push(message)
      continue
    }
    const { tool_call_id, name, status, id } = message as ToolMessage
    const content = truncateWithNote(text, KEPT_LENGTH, "shortened to fit the model's context")
    const truncated = new ToolMessage({ content, tool_call_id, name, status, id })
    sizes.set(truncated, await estimateTokens([content]))
    excess -= sizes.get(message)! - sizes.get(truncated)!
    short.push(truncated)
  }
  return short
}

/** The system message and the latest turns that fit, at least the last one. LangChain's `trimMessages` would copy them all. */
function withoutOldTurns(
  messages: readonly BaseMessage[],
  sizes: ReadonlyMap<BaseMessage, number>,
  limit: number,
): BaseMessage[] {
  const system = messages.filter(({ type }) => type === 'system')
  let start = Math.max(
    0,
    messages.findLastIndex(({ type }) => type === 'human'),
  )
  let size = sumOf([...system, ...messages.slice(start)], sizes)
  for (let at = start - 1; at >= 0; at -= 1) {
    size += sizes.get(messages[at]!) ?? 0
    if (size > limit) break
    if (messages[at]!.type === 'human') start = at
  }
  return [...system, ...messages.slice(start).filter(({ type }) => type !== 'system')]
}
