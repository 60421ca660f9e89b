import type { AIMessage } from '@langchain/core/messages'
import { errorResult } from '../model/answered-calls.ts'
import type { AgentParts } from '../parts.ts'
import { describeLimit, type Limits } from '../run/budget.ts'
import { RunFailure } from '../run/failure.ts'
import { isCut, isWithheld } from '../run/finish-reason.ts'
import { runOf } from '../run/run.ts'
import type { AgentNode } from '../state.ts'
import { askForAnswer } from './ask-for-answer.ts'

/**
 * Makes the final text: the model's answer as it is, or, where it asked for tools that there is no room for, that of one
 * more call which says so.
 *
 * @throws {RunFailure} where the model's last word is no answer: empty, a refusal, cut before its first word
 */
export const respond = (parts: AgentParts): AgentNode => {
  const { limits } = parts
  return async ({ messages, wrapUp }, config) => {
    const run = runOf(config)
    const last = messages.at(-1) as AIMessage | undefined
    const unanswered = last?.type === 'ai' ? (last.tool_calls ?? []) : []
    // A plan that was offered tools and is not followed by them has no steps left for them.
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

/** @throws {RunFailure} where the model's last word is no answer; it says why */
function expectAnswer(message: AIMessage, limits: Limits): void {
  if (isWithheld(message)) {
    throw new RunFailure('content_filter', "the model's answer was withheld by the provider's content filter")
  }
  if (message.text.trim() !== '') return
  const refusal = refusalOf(message)
  if (refusal !== undefined) throw new RunFailure('refusal', `the model refused the task: ${refusal}`)
  if (isCut(message)) {
    const limit =
      limits.maxOutputTokens === undefined ? "the model's own limit" : describeLimit('max_tokens', limits)
    throw new RunFailure('max_tokens', `${limit} was used up before there was an answer`)
  }
  throw new RunFailure('empty_answer', 'the model gave an empty answer')
}

/** OpenAI's refusal part: the model's own words for why it will not. */
function refusalOf({ content }: AIMessage): string | undefined {
  if (typeof content === 'string') return undefined
  const part = content.find(({ type }) => type === 'refusal')
  return part && 'refusal' in part ? String(part.refusal) : undefined
}
