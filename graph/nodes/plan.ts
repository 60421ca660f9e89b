import { ask } from '../model-call.ts'
import { wrapUpPrompt } from '../prompts.ts'
import type { Scope } from '../scope.ts'
import type { AgentState } from '../state.ts'

/**
 * Asks the model what to do next: it picks tool calls, or answers. When time, steps or tokens are about to run out it is
 * offered no tools and asked to answer with what is known.
 */
export async function plan({ messages }: AgentState, scope: Scope): Promise<AgentState> {
  const { account, budget, systemPrompt, tools } = scope
  const { wrapUp } = budget
  account.stop = wrapUp ?? 'answer'
  const reply =
    wrapUp === undefined
      ? await ask(scope, systemPrompt, messages, tools.definitions)
      : await ask(scope, wrapUpPrompt(systemPrompt, wrapUp), messages, [])
  return { messages: [reply] }
}
