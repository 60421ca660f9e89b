import { askForStep } from '@agent-task-service/engine/nodes'
import type { AgentParts } from '../parts.ts'
import { askPrompt } from '../prompts.ts'
import type { AgentNode } from '../state.ts'

/** Asks the model for its next step: tool calls or an answer. Near a limit, asks it to answer with what it knows. */
export const plan = (parts: AgentParts): AgentNode => {
  return async ({ messages }, config) => {
    const { reply, wrapUp } = await askForStep(parts, messages, config, askPrompt)
    return { messages: [reply], wrapUp }
  }
}
