import { finalAnswer } from '@agent-task-service/engine/nodes'
import type { AgentParts } from '../parts.ts'
import { askPrompt } from '../prompts.ts'
import type { AgentNode } from '../state.ts'

/**
 * Gives the answer: the model's, unchanged. If the model called tools that no longer fit, asks it once more.
 *
 * @throws {RunFailure} if the model gives none
 */
export const respond = (parts: AgentParts): AgentNode => {
  return async ({ messages, wrapUp }, config) => {
    return { messages: await finalAnswer(parts, { messages, wrapUp }, config, askPrompt) }
  }
}
