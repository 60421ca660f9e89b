import type { AIMessage } from '@langchain/core/messages'
import type { Scope } from './scope.ts'
import type { AgentState } from './state.ts'

/** The model asked for tools that it was offered: run them if there are steps left for them and for an answer. Else respond. */
export function afterPlan(
  state: AgentState,
  { account, budget }: Pick<Scope, 'account' | 'budget'>,
): 'tool-call' | 'respond' {
  const asked = (state.messages.at(-1) as AIMessage | undefined)?.tool_calls?.length ?? 0
  const offered = account.stop === 'answer'
  return asked > 0 && offered && budget.toolCallsLeft > 0 ? 'tool-call' : 'respond'
}
