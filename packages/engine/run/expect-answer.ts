import { endOf, isWithheld } from '@agent-task-service/messages/finish-reason'
import type { AIMessage } from '@langchain/core/messages'
import { RunFailure } from '../failures/run-failure.ts'
import { describeCap, type Limits } from './limits.ts'

/** @throws {RunFailure} if the message is not an answer, saying why */
export function expectAnswer(message: AIMessage, limits: Limits): void {
  if (isWithheld(message)) {
    throw new RunFailure('content_filter', "the model's answer was withheld by the provider's content filter")
  }
  if (message.text.trim() !== '') return
  const refusal = refusalOf(message)
  if (refusal !== undefined) throw new RunFailure('refusal', `the model refused the task: ${refusal}`)
  if (endOf(message) === 'cut') {
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
