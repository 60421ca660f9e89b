import { enabledTools } from '../guarded-tools.ts'
import { SoftDeadlinePassed } from '../model/model-with-fallbacks.ts'
import { type AgentParts, contextOf } from '../parts.ts'
import { askPrompt, systemPromptFor } from '../prompts.ts'
import { isGoingRound } from '../repeated-calls.ts'
import type { LimitReason } from '../run/budget.ts'
import { runOf } from '../run/run.ts'
import type { AgentNode } from '../state.ts'
import { askForAnswer } from './ask-for-answer.ts'

/**
 * Asks the model for its next step: tool calls or an answer. When time, steps or tokens are nearly used up, or the model
 * keeps repeating the same calls, asks it to answer with what it knows.
 */
export const plan = (parts: AgentParts): AgentNode => {
  const { model, tools } = parts
  return async ({ messages }, config) => {
    const context = contextOf(config)
    let wrapUp: LimitReason | undefined =
      runOf(config)?.budget.wrapUp ?? (isGoingRound(messages, tools) ? 'repeated_calls' : undefined)
    if (wrapUp === undefined) {
      const offered = enabledTools(tools, context.enabled_tools)
      const asked = model.bindTools(offered, { endsAtSoftDeadline: true })
      try {
        const reply = await asked.invoke(askPrompt(systemPromptFor(parts, context), messages, wrapUp), config)
        return { messages: [reply], wrapUp }
      } catch (error) {
        if (!(error instanceof SoftDeadlinePassed)) throw error
        wrapUp = 'soft_deadline'
      }
    }
    return { messages: [await askForAnswer(parts, messages, wrapUp, config)], wrapUp }
  }
}
