import {
  enabledTools,
  hintsOf,
  isGoingRound,
  type LimitReason,
  runOf,
  SoftDeadlinePassed,
} from '@agent-task-service/engine'
import type { BaseMessage } from '@langchain/core/messages'
import type { StructuredToolInterface } from '@langchain/core/tools'
import type { AgentParts } from '../parts.ts'
import { askPrompt, systemPromptFor } from '../prompts.ts'
import { type AgentNode, contextOf } from '../state.ts'
import { askForAnswer } from './ask-for-answer.ts'

/**
 * Asks the model for its next step: tool calls or an answer. When time, steps or tokens are nearly used up, or the model
 * keeps repeating the same calls, asks it to answer with what it knows. When it is only the time, tools that take none may
 * run once more before.
 */
export const plan = (parts: AgentParts): AgentNode => {
  const { model, tools } = parts
  return async ({ messages }, config) => {
    const context = contextOf(config)
    const run = runOf(config)
    let wrapUp: LimitReason | undefined =
      run?.budget.wrapUp ?? (isGoingRound(messages, tools) ? 'repeated_calls' : undefined)
    const enabled = enabledTools(tools, context.enabled_tools)
    const instant = enabled.filter(tool => hintsOf(tool).instantHint)
    const isLastRound =
      wrapUp === 'soft_deadline' && instant.length > 0 && run?.budget.hasLastRound && !run.isLastRound
    if (isLastRound) run.isLastRound = true
    if (wrapUp === undefined || isLastRound) {
      const offered = isLastRound
        ? enabled.filter(tool => instant.includes(tool) || isNamed(tool, messages))
        : enabled
      const asked = model.bindTools(offered, { endsAtSoftDeadline: !isLastRound })
      const prompt = askPrompt(systemPromptFor(parts, context), messages, wrapUp, instant)
      try {
        const reply = await asked.invoke(prompt, config)
        return { messages: [reply], wrapUp: reply.tool_calls?.length ? undefined : wrapUp }
      } catch (error) {
        if (!(error instanceof SoftDeadlinePassed)) throw error
        wrapUp = 'soft_deadline'
      }
    }
    return { messages: [await askForAnswer(parts, messages, wrapUp, config)], wrapUp }
  }
}

/** Whether the conversation holds a result of the tool: some providers refuse those of tools that a request does not list. */
function isNamed({ name }: StructuredToolInterface, messages: readonly BaseMessage[]): boolean {
  return messages.some(message => message.type === 'tool' && message.name === name)
}
