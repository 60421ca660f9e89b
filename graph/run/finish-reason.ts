import type { AIMessage } from '@langchain/core/messages'

/** Where each provider's class puts the reason: OpenAI, Anthropic, Gemini, Ollama. */
const KEYS = ['finish_reason', 'stop_reason', 'finishReason', 'done_reason'] as const
const CUT = /^(length|max_tokens|model_context_window_exceeded)$/i
const WITHHELD = /^(content_filter|refusal|safety|recitation|blocklist|prohibited_content|spii)$/i

/** The provider's word for why a reply ended, if it gave one. */
export function finishReasonOf({ response_metadata, additional_kwargs }: AIMessage): string | undefined {
  const said = { ...additional_kwargs, ...response_metadata } as Record<string, unknown>
  const reason = KEYS.map(key => said[key]).find(value => typeof value === 'string' && value !== '')
  return reason as string | undefined
}

/** Whether a token cap cut the reply off. */
export function isCut(reply: AIMessage): boolean {
  return CUT.test(finishReasonOf(reply) ?? '')
}

/** Whether the provider withheld the reply. */
export function isWithheld(reply: AIMessage): boolean {
  return WITHHELD.test(finishReasonOf(reply) ?? '')
}
