import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import type { LimitReason } from '../failures/stop-reason.ts'
import type { GraphParts, NodeConfig } from '../graph/graph-parts.ts'
import { SoftDeadlinePassed } from '../model/attempts.ts'
import { type Offer, offerForAnswer, offerForStep } from './offer.ts'

/**
 * Makes what the model reads of the conversation.
 *
 * @param notice tells the model that a limit is near; "" if none is
 */
export type Prompt<Parts extends GraphParts> = (
  parts: Parts,
  messages: readonly BaseMessage[],
  config: NodeConfig,
  notice: string,
) => BaseMessage[]

/** What a model replied, and the limit because of which it was asked for an answer, if there was one. */
export interface Step {
  readonly reply: AIMessageChunk
  readonly wrapUp: LimitReason | undefined
}

/**
 * Asks the model for its next step: tool calls or an answer. Near a limit, or when the soft deadline passes meanwhile, asks it to
 * answer with what it knows.
 *
 * @example
 * const { reply, wrapUp } = await askForStep(parts, messages, config, askPrompt)
 */
export async function askForStep<Parts extends GraphParts>(
  parts: Parts,
  messages: readonly BaseMessage[],
  config: NodeConfig,
  prompt: Prompt<Parts>,
): Promise<Step> {
  const offer = offerForStep(parts, messages, config)
  try {
    const reply = await ask(parts, messages, config, prompt, offer)
    const mayRun = offer.mayCall && reply.tool_calls?.length
    return { reply, wrapUp: mayRun ? undefined : offer.wrapUp }
  } catch (error) {
    if (!(error instanceof SoftDeadlinePassed)) throw error
    const wrapUp = 'soft_deadline'
    const last = offerForAnswer(parts, messages, wrapUp, config)
    return { reply: await ask(parts, messages, config, prompt, last), wrapUp }
  }
}

/** Asks the model for what the offer allows: tool calls or an answer. */
export async function ask<Parts extends GraphParts>(
  parts: Parts,
  messages: readonly BaseMessage[],
  config: NodeConfig,
  prompt: Prompt<Parts>,
  { tools, mayCall, wrapUp, notice }: Offer,
): Promise<AIMessageChunk> {
  const choice = mayCall ? { endsAtSoftDeadline: wrapUp === undefined } : { tool_choice: 'none' }
  const model = parts.model.bindTools([...tools], { ...choice, wrapUp })
  return await model.invoke(prompt(parts, messages, config, notice), config)
}
