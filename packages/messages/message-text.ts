import type { AIMessage, BaseMessage } from '@langchain/core/messages'

/** The same as `message.text`, which looks for content blocks of all providers even in a plain string. */
export function plainText(message: BaseMessage): string {
  const { content } = message
  return typeof content === 'string' ? content.slice(answerStartOf(message)) : message.text
}

/**
 * Where the answer begins in the content of a streamed reply: a model may tell only at the end of its reasoning that it was
 * reasoning, and what was streamed cannot be taken back.
 */
export function answerStartOf({ additional_kwargs }: BaseMessage): number {
  const start = additional_kwargs?.answer_starts_at
  return typeof start === 'number' ? start : 0
}

/** A copy with this content, and everything else as it was, whatever its class. */
export function withContent(message: BaseMessage, content: unknown): BaseMessage {
  return Object.assign(Object.create(message), { content })
}

/** The text of a message whose tokens count: what it says, and the tools it calls. */
export function textWithCalls(message: BaseMessage): string {
  const calls = 'tool_calls' in message ? (message as AIMessage).tool_calls : undefined
  return (
    plainText(message) +
    (calls?.length ? JSON.stringify(calls.map(({ name, args }) => ({ name, args }))) : '')
  )
}
