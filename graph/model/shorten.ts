import { type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { estimateTokens } from '../run/tokens.ts'

/** How much of a tool's result is kept, in characters. */
const KEPT_LENGTH = 500

/**
 * The conversation with its tool results cut, oldest first, until enough tokens are saved.
 *
 * @param tokens number to save; `undefined`: half of all
 * @returns `undefined` if there is nothing to cut
 */
export async function shortened(
  messages: readonly BaseMessage[],
  tokens: number | undefined,
): Promise<BaseMessage[] | undefined> {
  let left = tokens ?? (await estimateTokens(messages.map(({ text }) => text))) / 2
  const short: BaseMessage[] = []
  let isCut = false
  for (const message of messages) {
    const { text } = message
    if (left <= 0 || message.type !== 'tool' || text.length <= KEPT_LENGTH) {
      short.push(message)
      continue
    }
    const { tool_call_id, name, status, id } = message as ToolMessage
    const content = `${text.slice(0, KEPT_LENGTH).toWellFormed()}\n[shortened to fit the model's context: the first ${KEPT_LENGTH} of ${text.length} characters]`
    left -= (await estimateTokens([text])) - (await estimateTokens([content]))
    isCut = true
    short.push(new ToolMessage({ content, tool_call_id, name, status, id }))
  }
  return isCut ? short : undefined
}
