import type { AIMessage } from '@langchain/core/messages'
import type { State } from './state.ts'

/** Goes to `tool-call` if the model called tools it was offered, else to `respond`. */
export function afterPlan({ messages, wrapUp }: State): 'tool-call' | 'respond' {
  const { tool_calls: calls = [] } = (messages.at(-1) ?? {}) as AIMessage
  return calls.length > 0 && wrapUp === undefined ? 'tool-call' : 'respond'
}
