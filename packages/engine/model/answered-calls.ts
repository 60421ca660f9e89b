import { type AIMessage, type BaseMessage, type ToolCall, ToolMessage } from '@langchain/core/messages'

/**
 * Adds a result for every unanswered tool call, since providers require one for each. A Studio thread may continue after
 * a run that was stopped before its calls ran.
 */
export function withAnsweredCalls(conversation: readonly BaseMessage[]): BaseMessage[] {
  let open: readonly ToolCall[] = []
  const answered = new Set<string>()
  const close = () =>
    open
      .filter(({ id = '' }) => !answered.has(id))
      .map(call => errorResult(call, 'Not run: the run was stopped.'))
  const messages: BaseMessage[] = []
  for (const message of conversation) {
    if (message.type === 'tool') answered.add((message as ToolMessage).tool_call_id)
    else {
      messages.push(...close())
      answered.clear()
      open = message.type === 'ai' ? ((message as AIMessage).tool_calls ?? []) : []
    }
    messages.push(message)
  }
  return [...messages, ...close()]
}

/** The message the model reads for a call without a result. */
export function errorResult({ id = '', name }: ToolCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: id, name, status: 'error' })
}
