import { type AIMessage, ToolMessage } from '@langchain/core/messages'
import { type Budget, describeLimit } from '../budget.ts'
import { RunFailure, type StopReason } from '../failure.ts'
import { ask } from '../model-call.ts'
import { wrapUpPrompt } from '../prompts.ts'
import { type AgentParts, type NodeConfig, scopeOf } from '../scope.ts'
import type { AgentState, AgentUpdate } from '../state.ts'

/**
 * Makes the final text: the model's answer as it is, or, where time, steps or tokens are about to run out,
 * one more call without tools that answers with what is known.
 *
 * @throws {RunFailure} where the model's last word is no answer: empty, a refusal, cut before its first word
 */
export function respondNode(parts: AgentParts) {
  return async (state: AgentState, config: NodeConfig): Promise<AgentUpdate> => {
    const scope = scopeOf(parts, config)
    const { budget } = scope
    const last = state.messages.at(-1) as AIMessage
    const unanswered = last.type === 'ai' ? (last.tool_calls ?? []) : []
    if (last.type === 'ai' && unanswered.length === 0) return finalText(last, state.stop, budget)

    const reason = budget.wrapUp ?? 'max_steps'
    const notRun = unanswered.map(({ id = '', name }) => {
      const content = `Not run: ${describeLimit(reason, budget.limits)} leaves no room for it.`
      return new ToolMessage({ content, tool_call_id: id, name, status: 'error' })
    })
    const prompt = wrapUpPrompt(scope.systemPrompt, reason)
    const reply = await ask(scope, prompt, [...state.messages, ...notRun], [])
    return { messages: [...notRun, reply], ...finalText(reply, reason, budget) }
  }
}

/** The text of the model's last word and why it is the last, or a failure that says why it is none. */
function finalText(
  message: AIMessage,
  stop: StopReason,
  budget: Budget,
): { answer: string; stop: StopReason } {
  const finish = message.response_metadata.finish_reason
  if (finish === 'content_filter') {
    throw new RunFailure('content_filter', "the model's answer was withheld by the provider's content filter")
  }
  const answer = message.text
  if (answer.trim() !== '') return { answer, stop: finish === 'length' ? 'max_tokens' : stop }
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
