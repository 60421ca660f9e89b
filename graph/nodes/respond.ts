import {
  describeCap,
  describeLimit,
  errorResult,
  isCut,
  isWithheld,
  type Limits,
  RunFailure,
  runOf,
} from '@agent-task-service/engine'
import type { AIMessage } from '@langchain/core/messages'
import type { AgentParts } from '../parts.ts'
import type { AgentNode } from '../state.ts'
import { askForAnswer } from './ask-for-answer.ts'

/**
 * Produces the final text: the model's answer, unchanged. If the model called tools that no longer fit, tells it so and
 * asks once more.
 *
 * @throws {RunFailure} if the model gives no answer: an empty text, a refusal, or a reply cut before its first word
 */
export const respond = (parts: AgentParts): AgentNode => {
  const { limits } = parts
  return async ({ messages, wrapUp }, config) => {
    const run = runOf(config)
    const last = messages.at(-1) as AIMessage | undefined
    const unanswered = last?.type === 'ai' ? (last.tool_calls ?? []) : []
    // The model called tools it was offered, but they did not run because no steps are left for them.
    const reason = wrapUp ?? (unanswered.length > 0 ? 'max_steps' : undefined)
    if (run) run.stop = reason ?? 'answer'
    if (last?.type === 'ai' && unanswered.length === 0) {
      accept(last)
      return {}
    }

    const limit = describeLimit(reason ?? 'max_steps', run?.limits ?? limits)
    const notRun = unanswered.map(call => errorResult(call, `Not run: ${limit} leaves no room for it.`))
    const reply = await askForAnswer(parts, [...messages, ...notRun], reason, config)
    accept(reply)
    return { messages: [...notRun, reply] }

    function accept(answer: AIMessage): void {
      if (run) {
        run.cut = isCut(answer)
        if (run.cut) run.stop = 'max_tokens'
      }
      expectAnswer(answer, run?.limits ?? limits)
    }
  }
}

/** @throws {RunFailure} if the message is not an answer, saying why */
function expectAnswer(message: AIMessage, limits: Limits): void {
  if (isWithheld(message)) {
    throw new RunFailure('content_filter', "the model's answer was withheld by the provider's content filter")
  }
  if (message.text.trim() !== '') return
  const refusal = refusalOf(message)
  if (refusal !== undefined) throw new RunFailure('refusal', `the model refused the task: ${refusal}`)
  if (isCut(message)) {
    throw new RunFailure('max_tokens', `${describeCap(limits)} was used up before there was an answer`)
  }
  const calls = message.tool_calls ?? []
  const problem = calls.length > 0 ? 'called tools in place of an answer' : 'gave an empty answer'
  throw new RunFailure('empty_answer', `the model ${problem}`)
}

/** The text of OpenAI's refusal part, in which the model says why it declines. */
function refusalOf({ content }: AIMessage): string | undefined {
  if (typeof content === 'string') return undefined
  const part = content.find(({ type }) => type === 'refusal')
  return part && 'refusal' in part ? String(part.refusal) : undefined
}
