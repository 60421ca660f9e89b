import { ask } from '../model-call.ts'
import { wrapUpPrompt } from '../prompts.ts'
import { type AgentParts, type NodeConfig, scopeOf } from '../scope.ts'
import type { AgentState } from '../state.ts'

/** Asks the model what to do next: it picks tool calls, or answers. Without room for a round of tools it can only answer. */
export function planNode(parts: AgentParts) {
  return async (state: AgentState, config: NodeConfig): Promise<AgentState> => {
    const scope = scopeOf(parts, config)
    const { wrapUp } = scope.budget
    scope.account.stop = wrapUp ?? 'answer'
    const reply =
      wrapUp === undefined
        ? await ask(scope, scope.systemPrompt, state.messages, scope.tools.definitions)
        : await ask(scope, wrapUpPrompt(scope.systemPrompt, wrapUp), state.messages, [])
    return { messages: [reply] }
  }
}
