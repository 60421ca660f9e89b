import { type AIMessage, ToolMessage } from '@langchain/core/messages'
import { describeLimit } from '../budget.ts'
import { RunFailure } from '../failure.ts'
import { ask } from '../model-call.ts'
import { wrapUpPrompt } from '../prompts.ts'
import type { Scope } from '../scope.ts'
import type { AgentState } from '../state.ts'

/**
 * Makes the final text: the model's answer as it is, or, where it asked for tools that there is no room for, that of one
 * more call which is told so.
 *
 * @throws {RunFailure} where the model's last word is no answer: empty, a refusal, cut before its first word
 */
export async function respond(state: AgentState, scope: Scope): Promise<AgentState> {
  const { budget } = scope
  const last = state.messages.at(-1) as AIMessage
  const unanswered = last.type === 'ai' ? (last.tool_calls ?? []) : []
  if (last.type === 'ai' && unanswered.length === 0) {
    accept(last, scope)
    return { messages: [last] }
  }

  const reason = budget.wrapUp ?? 'max_steps'
  const notRun = unanswered.map(({ id = '', name }) => {
    const content = `Not run: ${describeLimit(reason, budget.limits)} leaves no room for it.`
    return new ToolMessage({ content, tool_call_id: id, name, status: 'error' })
  })
  const prompt = wrapUpPrompt(scope.systemPrompt, reason)
  const reply = await ask(scope, prompt, [...state.messages, ...notRun], [])
  scope.account.stop = reason
  accept(reply, scope)
  return { messages: [...notRun, reply] }
}

/** @throws {RunFailure} where the model's last word is no answer; it says why */
function accept(message: AIMessage, { account, budget }: Scope): void {
  const finish = message.response_metadata.finish_reason
  if (finish === 'content_filter') {
    throw new RunFailure('content_filter', "the model's answer was withheld by the provider's content filter")
  }
  if (finish === 'length') account.stop = 'max_tokens'
  if (message.text.trim() !== '') return
  const refusal = refusalOf(message)
  if (refusal !== undefined) throw new RunFailure('refusal', `the model refused the task: ${refusal}`)
  if (finish === 'length') {
    const limit =
      budget.limits.maxOutputTokens === undefined
        ? "the model's own limit"
        : describeLimit('max_tokens', budget.limits)
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
