import {
  enabledTools,
  hintsOf,
  isGoingRound,
  type LimitReason,
  runOf,
  SoftDeadlinePassed,
} from '@agent-task-service/engine'
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import type { StructuredToolInterface } from '@langchain/core/tools'
import type { AgentParts } from '../parts.ts'
import { askPrompt, systemPromptFor } from '../prompts.ts'
import { type AgentNode, contextOf, type NodeConfig } from '../state.ts'
import { askForAnswer } from './ask-for-answer.ts'

/**
 * Asks the model for its next step: tool calls or an answer. When time, steps or tokens are nearly used up, or the model
 * keeps repeating the same calls, asks it to answer with what it knows. When it is only the time, tools that take none may
 * run once more before.
 */
export const plan = (parts: AgentParts): AgentNode => {
  return async ({ messages }, config) => {
    const offer = chooseOffer(parts, messages, config)
    const reply = await askForStep(parts, messages, offer, config)
    if (reply) return { messages: [reply], wrapUp: reply.tool_calls?.length ? undefined : offer.wrapUp }
    const wrapUp = offer.wrapUp ?? 'soft_deadline'
    return { messages: [await askForAnswer(parts, messages, wrapUp, config)], wrapUp }
  }
}

interface Offer {
  /** The limit that is near, if any. */
  readonly wrapUp: LimitReason | undefined
  /** The tools that the model may call; absent: it must answer. */
  readonly offered?: readonly StructuredToolInterface[]
  /** Those that take no time, if they are offered for the last time. */
  readonly lastTools?: readonly StructuredToolInterface[]
}

function chooseOffer({ tools }: AgentParts, messages: readonly BaseMessage[], config: NodeConfig): Offer {
  const run = runOf(config)
  const enabled = enabledTools(tools, contextOf(config).enabled_tools)
  const wrapUp = run?.budget.wrapUp ?? (isGoingRound(messages, tools) ? 'repeated_calls' : undefined)
  if (wrapUp === undefined) return { wrapUp, offered: enabled }
  const lastTools = enabled.filter(tool => hintsOf(tool).instantHint)
  const isTime = wrapUp === 'soft_deadline' && run?.budget.hasLastRound && !run.isLastRound
  if (!isTime || lastTools.length === 0) return { wrapUp }
  run.isLastRound = true
  const offered = enabled.filter(tool => lastTools.includes(tool) || isNamed(tool, messages))
  return { wrapUp, offered, lastTools }
}

/** @returns `undefined` if the model must answer, or did not say its next step before the soft deadline */
async function askForStep(
  parts: AgentParts,
  messages: readonly BaseMessage[],
  { offered, wrapUp, lastTools }: Offer,
  config: NodeConfig,
): Promise<AIMessageChunk | undefined> {
  if (!offered) return undefined
  const boundModel = parts.model.bindTools([...offered], { endsAtSoftDeadline: wrapUp === undefined })
  const prompt = askPrompt(systemPromptFor(parts, contextOf(config)), messages, wrapUp, lastTools)
  try {
    return await boundModel.invoke(prompt, config)
  } catch (error) {
    if (error instanceof SoftDeadlinePassed) return undefined
    throw error
  }
}

/** Whether the conversation holds a result of the tool: some providers refuse those of tools that a request does not list. */
function isNamed({ name }: StructuredToolInterface, messages: readonly BaseMessage[]): boolean {
  return messages.some(message => message.type === 'tool' && message.name === name)
}
