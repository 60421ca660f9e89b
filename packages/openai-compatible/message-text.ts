import type { AIMessage, BaseMessage } from '@langchain/core/messages'

/** The same as `message.text`, which looks for content blocks of all providers even in a plain string. */
export function plainText(message: BaseMessage): string {
  const { content } = message
  return typeof content === 'string' ? content : message.text
}

/** The text of a message whose tokens count: what it says, and the tools it calls. */
export function textWithCalls(message: BaseMessage): string {
  const calls = 'tool_calls' in message ? (message as AIMessage).tool_calls : undefined
  return (
    plainText(message) +
    (calls?.length ? JSON.stringify(calls.map(({ name, args }) => ({ name, args }))) : '')
  )
}
