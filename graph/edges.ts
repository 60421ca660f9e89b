import type { AIMessage } from '@langchain/core/messages'
import type { Budget } from './budget.ts'
import type { AgentState } from './state.ts'

/** The model asked for tools: run them if there are steps left for them and for an answer. Else its text is the answer. */
export function afterPlan(state: AgentState, budget: Budget): 'tool-call' | 'respond' {
  const asked = (state.messages.at(-1) as AIMessage | undefined)?.tool_calls?.length ?? 0
  return asked > 0 && budget.toolCallsLeft > 0 ? 'tool-call' : 'respond'
}

/** Results are in: plan on, or answer with them when time, steps or tokens are about to run out. */
export function afterToolCall(budget: Budget): 'plan' | 'respond' {
  return budget.wrapUp === undefined ? 'plan' : 'respond'
}
