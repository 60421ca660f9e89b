import { plainText } from '@agent-task-service/openai-compatible/message-text'
import { textIn, toText } from '@agent-task-service/wire/untrusted'
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import { type Command, isCommand } from '@langchain/langgraph'
import type { Source } from '../tool.ts'
import type { ModelReply, PlainMessage } from './events.ts'

const ROLES: Record<string, PlainMessage['role']> = { system: 'system', ai: 'assistant', tool: 'tool' }
/** Where each provider's class puts the reason: OpenAI, Anthropic, Gemini, Ollama. */
const REASONS = ['finish_reason', 'stop_reason', 'finishReason', 'done_reason'] as const
const CUT = /^(length|max_tokens|model_context_window_exceeded)$/i
const CALLS = /^(tool_calls?|tool_use|function_calls?)$/i
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
function finishReasonOf({ response_metadata, additional_kwargs }: AIMessage): string | undefined {
  const members = { ...additional_kwargs, ...response_metadata } as Record<string, unknown>
  return REASONS.map(name => textIn(members[name])).find(reason => reason !== undefined)
}

/** What a tool returned, in plain values. */
export interface ToolResult {
  /** What the model reads. */
  readonly result: string
  /** Pages that the result cites, by number; absent if none. */
  readonly sources?: Source[] | undefined
}

/** @param callId the model's id for the call */
export function plainToolResult(output: unknown, callId: string | undefined): ToolResult {
  const message = isCommand(output) ? answerOf(output, callId) : output
  const { content = message, artifact } = (message ?? {}) as Partial<ToolMessage>
  return { result: toText(content), sources: sourcesIn(artifact) }
}

/** The message among a command's updates that answers the call; "" if there is none. */
function answerOf({ update }: Command, callId: string | undefined): unknown {
  const updates: unknown[] = Array.isArray(update) ? update.map(([, value]) => value) : [update]
  const messages = [update, ...updates].flatMap(
    each => (each as { readonly messages?: ToolMessage[] } | undefined)?.messages ?? [],
  )
  return messages.find(({ tool_call_id }) => tool_call_id === callId) ?? ''
}

/** The sources in a tool's artifact; anything else in it belongs to the tool. */
function sourcesIn(artifact: unknown): Source[] | undefined {
  const { sources } = (artifact ?? {}) as { readonly sources?: unknown }
  const isSource = ({ number, title, url }: Partial<Source>) =>
    Number.isInteger(number) && typeof title === 'string' && /^https?:/.test(String(url))
  const found: Source[] = Array.isArray(sources) ? sources.filter(one => one && isSource(one)) : []
  return found.length > 0 ? found.map(({ number, title, url }) => ({ number, title, url })) : undefined
}
