import { type BaseMessage, HumanMessage, type MessageContent } from '@langchain/core/messages'

/** By which a model tells it from what the user or a tool says. */
const FROM_AGENT = '\n\n(From the agent itself: '

/**
 * The messages with a notice of the agent's at the end of the last one, where it changes nothing that a provider has cached or
 * signed, and follows the rules of all for who may speak after whom.
 *
 * @param notice "": there is none
 *
 * @example
 * const messages = withNotice([new SystemMessage(system), ...conversation], notice)
 */
export function withNotice(messages: readonly BaseMessage[], notice: string): BaseMessage[] {
  const last = messages.at(-1)
  if (notice === '') return [...messages]
  const text = `${FROM_AGENT}${notice})`
  if (!last || last.type === 'ai') return [...messages, new HumanMessage(text.trim())]
  const { content } = last
  const longer = typeof content === 'string' ? content + text : [...content, { type: 'text', text }]
  // A copy with everything else as it was, whatever its class.
  return messages.with(-1, Object.assign(Object.create(last), { content: longer as MessageContent }))
}

/** What the user or a tool said, for who reads it in place of a model. */
export function withoutNotice(text: string): string {
  return text.split(FROM_AGENT)[0]!
}
