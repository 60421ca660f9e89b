import { enabledTools } from '../guarded-tools.ts'
import { SoftDeadlinePassed } from '../model/model-with-fallbacks.ts'
import { type AgentParts, settingsOf } from '../parts.ts'
import { askPrompt } from '../prompts.ts'
import { runOf } from '../run/run.ts'
import type { AgentNode } from '../state.ts'
import { askForAnswer } from './ask-for-answer.ts'

/**
 * Asks the model what to do next: it picks tool calls, or answers. When time, steps or tokens are about to run out it is
 * asked to answer with what is known.
 */
export const plan = (parts: AgentParts): AgentNode => {
  const { model, tools, systemPrompt } = parts
  return async ({ messages }, config) => {
    const { system_prompt = systemPrompt, enabled_tools } = settingsOf(config)
    const near = runOf(config)?.budget.wrapUp
    if (near === undefined) {
      const offered = model.bindTools(enabledTools(tools, enabled_tools), { endsAtSoftDeadline: true })
      try {
        return { messages: [await offered.invoke(askPrompt(system_prompt, messages, undefined), config)] }
      } catch (error) {
        if (!(error instanceof SoftDeadlinePassed)) throw error
      }
    }
    const wrapUp = near ?? 'soft_deadline'
    return { messages: [await askForAnswer(parts, messages, wrapUp, config)], wrapUp }
  }
}
