import { type AIMessage, type BaseMessage, type ToolCall, ToolMessage } from '@langchain/core/messages'

/**
 * The conversation as providers take it: behind the calls of a turn stands a result for each. A thread in Studio can go
 * on from where a run was stopped before its calls were made.
 */
export function withAnsweredCalls(conversation: readonly BaseMessage[]): BaseMessage[] {
  let open: readonly ToolCall[] = []
  const close = () => open.map(call => errorResult(call, 'Not run: the run was stopped.'))
  const messages: BaseMessage[] = []
  for (const message of conversation) {
    if (message.type === 'tool') {
      const { tool_call_id } = message as ToolMessage
      open = open.filter(({ id = '' }) => id !== tool_call_id)
    } else {
      messages.push(...close())
      open = message.type === 'ai' ? ((message as AIMessage).tool_calls ?? []) : []
    }
    messages.push(message)
  }
  return [...messages, ...close()]
}

/** What the model reads of a call that gave no result. */
export function errorResult({ id = '', name }: ToolCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: id, name, status: 'error' })
}
