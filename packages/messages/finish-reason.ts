import { textIn } from '@agent-task-service/wire/untrusted'
import type { AIMessage } from '@langchain/core/messages'

/** Where each provider's class puts the reason: OpenAI, Anthropic, Gemini, Ollama. */
const REASONS = ['finish_reason', 'stop_reason', 'finishReason', 'done_reason'] as const
const CUT = /^(length|max_tokens|model_context_window_exceeded)$/i
const CALLS = /^(tool_calls?|tool_use|function_calls?)$/i
const WITHHELD = /^(content_filter|refusal|safety|recitation|blocklist|prohibited_content|spii)$/i

/** Whether a token cap cut the reply off. */
export function isCut(reply: AIMessage): boolean {
  return CUT.test(finishReasonOf(reply) ?? '')
}

/** Whether the provider withheld the reply. */
export function isWithheld(reply: AIMessage): boolean {
  return WITHHELD.test(finishReasonOf(reply) ?? '')
}

/** Whether the reply ended in order to call tools. */
export function promisesCalls(reply: AIMessage): boolean {
  return CALLS.test(finishReasonOf(reply) ?? '')
}

/** The reply with the reason why it ended: of a stream, some classes tell it only beside the message. */
export function withFinishReason(
  reply: AIMessage,
  generationInfo: Readonly<Record<string, unknown>> = {},
): AIMessage {
  const told = REASONS.filter(name => textIn(generationInfo[name]) !== undefined)
  if (told.length === 0 || finishReasonOf(reply) !== undefined) return reply
  const reasons = Object.fromEntries(told.map(name => [name, generationInfo[name]]))
  const response_metadata = { ...reply.response_metadata, ...reasons }
  return Object.assign(Object.create(reply), { response_metadata })
}

/** The provider's word for why a reply ended, if it gave one. */
export function finishReasonOf({ response_metadata, additional_kwargs }: AIMessage): string | undefined {
  const members = { ...additional_kwargs, ...response_metadata } as Record<string, unknown>
  return REASONS.map(name => textIn(members[name])).find(reason => reason !== undefined)
}
