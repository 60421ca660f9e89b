import { plainText } from '@agent-task-service/openai-compatible/message-text'
import { textIn } from '@agent-task-service/untrusted/json'
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ModelReply, PlainMessage } from './events.ts'

const ROLES: Record<string, PlainMessage['role']> = { system: 'system', ai: 'assistant', tool: 'tool' }
/** Where each provider's class puts the reason: OpenAI, Anthropic, Gemini, Ollama. */
const REASONS = ['finish_reason', 'stop_reason', 'finishReason', 'done_reason'] as const
const CUT = /^(length|max_tokens|model_context_window_exceeded)$/i
const WITHHELD = /^(content_filter|refusal|safety|recitation|blocklist|prohibited_content|spii)$/i

/** A LangChain message in plain values. */
export function plainMessage(message: BaseMessage): PlainMessage {
  const { tool_calls: calls = [] } = message as AIMessage
  const { tool_call_id: toolCallId } = message as ToolMessage
  return {
    role: ROLES[message.type] ?? 'user',
    text: plainText(message),
    toolCalls: calls.map(({ id = '', name, args }) => ({ id, name, args })),
    ...(toolCallId !== undefined && { toolCallId }),
  }
}

/** What a model answered, in plain values. */
export function plainReply(message: AIMessage): ModelReply {
  const { id, model_name, model } = message.response_metadata
  return {
    // LangChain makes up an id for a message without one.
    id: textIn(id) ?? (message.id?.startsWith('run-') ? undefined : textIn(message.id)),
    model: textIn(model_name) ?? textIn(model),
    finishReason: finishReasonOf(message),
    cut: isCut(message),
    toolCalls: (message.tool_calls ?? []).map(({ name }) => name),
    message: () => plainMessage(message),
  }
}

/** Whether a token cap cut the reply off. */
export function isCut(reply: AIMessage): boolean {
  return CUT.test(finishReasonOf(reply) ?? '')
}

/** Whether the provider withheld the reply. */
export function isWithheld(reply: AIMessage): boolean {
  return WITHHELD.test(finishReasonOf(reply) ?? '')
}

/** The provider's word for why a reply ended, if it gave one. */
function finishReasonOf({ response_metadata, additional_kwargs }: AIMessage): string | undefined {
  const members = { ...additional_kwargs, ...response_metadata } as Record<string, unknown>
  return REASONS.map(name => textIn(members[name])).find(reason => reason !== undefined)
}
