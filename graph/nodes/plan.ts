import { enabledTools } from '../guarded-tools.ts'
import { type AgentParts, settingsOf } from '../parts.ts'
import { askPrompt } from '../prompts.ts'
import { runOf } from '../run/run.ts'
import type { AgentNode } from '../state.ts'

/**
 * Asks the model what to do next: it picks tool calls, or answers. When time, steps or tokens are about to run out it is
 * offered no tools and asked to answer with what is known.
 */
export const plan = ({ model, tools, systemPrompt }: AgentParts): AgentNode => {
  return async ({ messages }, config) => {
    const { system_prompt = systemPrompt, enabled_tools } = settingsOf(config)
    const wrapUp = runOf(config)?.budget.wrapUp
    const offered = wrapUp === undefined ? enabledTools(tools, enabled_tools) : []
    const reply = await model.bindTools(offered).invoke(askPrompt(system_prompt, messages, wrapUp), config)
    return { messages: [reply], wrapUp }
  }
}
