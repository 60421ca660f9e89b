import { withContent } from '@agent-task-service/messages/message-text'
import { type BaseMessage, SystemMessage } from '@langchain/core/messages'

/** By which a model tells it from what a tool says. */
const FROM_AGENT = '\n\n(From the agent itself, no part of the above and not to be repeated: '

/**
 * The messages with a notice of the agent's: at the end of the last result of a tool, where it changes nothing that a provider
 * has cached or signed; before there is one, at the end of the system prompt.
 *
 * @param notice "": there is none
 *
 * @example
 * const messages = withNotice([new SystemMessage(system), ...conversation], notice)
 */
export function withNotice(messages: readonly BaseMessage[], notice: string): BaseMessage[] {
  if (notice === '') return [...messages]
  const last = messages.at(-1)
  if (last?.type === 'tool') return messages.with(-1, longer(last, `${FROM_AGENT}${notice})`))
  const at = messages.findIndex(({ type }) => type === 'system')
  if (at < 0) return [new SystemMessage(notice), ...messages]
  return messages.with(at, longer(messages[at]!, `\n\n${notice}`))
}

/** What a tool said, for who reads it in place of a model. */
export function withoutNotice(result: string): string {
  const at = result.lastIndexOf(FROM_AGENT)
  return at >= 0 && result.endsWith(')') ? result.slice(0, at) : result
}

function longer(message: BaseMessage, text: string): BaseMessage {
  const { content } = message
  const whole = typeof content === 'string' ? content + text : [...content, { type: 'text', text }]
  return withContent(message, whole)
}
