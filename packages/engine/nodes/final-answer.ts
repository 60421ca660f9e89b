import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import type { LimitReason } from '../failures/stop-reason.ts'
import type { Conversation, GraphParts, NodeConfig } from '../graph/graph-parts.ts'
import { errorResult } from '../model/answered-calls.ts'
import { describeLimit } from '../run/limits.ts'
import { runOf } from '../run/run.ts'
import { expectAnswer } from '../run/stand-ins.ts'
import { ask, type Prompt } from './ask.ts'
import { offerForAnswer } from './offer.ts'

/**
 * What completes a conversation with an answer: nothing, if its last message is one. If the model called tools that no longer
 * fit, tells it so and asks once more.
 *
 * @returns the messages to add
 * @throws {RunFailure} if the model gives no answer: an empty text, a refusal, or a reply cut before its first word
 */
export async function finalAnswer<Parts extends GraphParts>(
  parts: Parts,
  { messages, wrapUp }: Conversation & { readonly wrapUp?: LimitReason | undefined },
  config: NodeConfig,
  prompt: Prompt<Parts>,
): Promise<BaseMessage[]> {
  const limits = runOf(config)?.limits ?? parts.limits
  const last = messages.at(-1) as AIMessage | undefined
  const unanswered = last?.type === 'ai' ? (last.tool_calls ?? []) : []
  if (last?.type === 'ai' && unanswered.length === 0) {
    expectAnswer(last, limits)
    return []
  }
  // The model called tools it was offered, but they did not run because no steps are left for them.
  const reason = wrapUp ?? (unanswered.length > 0 ? 'max_steps' : undefined)
  const limit = describeLimit(reason ?? 'max_steps', limits)
  const notRun = unanswered.map(call => errorResult(call, `Not run: ${limit} leaves no room for it.`))
  const answered = [...messages, ...notRun]
  const offer = offerForAnswer(parts, answered, reason, config)
  const reply = await ask(parts, answered, config, prompt, offer)
  expectAnswer(reply, limits)
  return [...notRun, reply]
}
