import { createHash } from 'node:crypto'
import {
  type AIMessage,
  type BaseMessage,
  type ChatMessage,
  convertToOpenAIImageBlock,
  isDataContentBlock,
  type MessageContent,
  type ToolMessage,
} from '@langchain/core/messages'
import type { Api } from './api.ts'
import type { EndpointQuirks, MaxTokensParam } from './endpoint-quirks.ts'
import { plainText } from './message-text.ts'

/** Settings that shape the body of each request. */
export interface RequestSettings {
  readonly model: string
  /** Absent: the provider's default; some models refuse any other. */
  readonly temperature?: number | undefined
  /** Tokens that one call may generate; absent: the provider's limit. */
  readonly maxTokens?: number | undefined
  /** Extra members of the body, such as `reasoning_effort`; `null` removes a member. */
  readonly params?: Readonly<Record<string, unknown>> | undefined
}

export interface WireTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: object }
}

export interface CallOptions {
  readonly tools?: readonly WireTool[] | undefined
  /** LangChain's `auto`, `none`, `any` or a tool's name, or the protocol's own form. */
  readonly tool_choice?: unknown
  /** OpenAI's form of the answer. */
  readonly response_format?: unknown
  readonly stop?: readonly string[] | undefined
  readonly signal?: AbortSignal | undefined
}

/** One call of a model. */
export interface ApiCall {
  readonly api: Api
  readonly messages: BaseMessage[]
  readonly options: CallOptions
  /** Whether the server should stream its reply. */
  readonly stream: boolean
  readonly url: string
  /** The model called; only its own turns carry their provider's extra members. */
  readonly origin: string
  readonly quirks: EndpointQuirks
}

/** Members outside the protocol that a provider put into a turn and expects back. */
export interface ProviderWords {
  readonly origin: string
  readonly message: Readonly<Record<string, unknown>>
  /** In the order of the turn's calls. */
  readonly calls: readonly Readonly<Record<string, unknown>>[]
  /** Of the Responses API: the turn's items as they came. */
  readonly items?: readonly Readonly<Record<string, unknown>>[]
}

/** The body of a request in chat completions, as JSON. */
export function requestBody(
  { messages, options, stream, origin, quirks }: ApiCall,
  { model, temperature, maxTokens, params }: RequestSettings,
): string {
  const { tools = [], tool_choice, response_format, stop } = options
  const { capName = capNameOf(model), refusesStreamOptions, refusesTemperature } = quirks
  const body: Record<string, unknown> = {
    model,
    messages: messages.map(message => wireMessage(message, origin, quirks)),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && tool_choice !== undefined && { tool_choice: wireChoice(tool_choice) }),
    ...(stream && { stream: true }),
    ...(stream && !refusesStreamOptions && { stream_options: { include_usage: true } }),
    ...(temperature !== undefined && !refusesTemperature && { temperature }),
    ...(stop && stop.length > 0 && { stop }),
    ...params,
    ...(response_format !== undefined && { response_format }),
    ...(maxTokens !== undefined && { [capName]: maxTokens }),
  }
  return JSON.stringify(withoutNulls(body))
}

/** Without the members that a setting removes. */
export function withoutNulls(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

/** OpenAI's reasoning models accept only `max_completion_tokens`; most other servers only `max_tokens`. */
function capNameOf(model: string): MaxTokensParam {
  const isReasoningModel = /^(o\d|gpt-[56](?!-chat))/.test(model)
  return isReasoningModel ? 'max_completion_tokens' : 'max_tokens'
}

export function wireChoice(choice: unknown): unknown {
  if (typeof choice !== 'string' || /^(auto|none|required)$/.test(choice)) return choice
  return choice === 'any' ? 'required' : { type: 'function', function: { name: choice } }
}

function wireMessage(message: BaseMessage, origin: string, quirks: EndpointQuirks): object {
  switch (message.type) {
    case 'system':
      return { role: 'system', content: plainText(message) }
    case 'tool':
      return {
        role: 'tool',
        content: plainText(message),
        tool_call_id: wireId((message as ToolMessage).tool_call_id, quirks),
      }
    case 'ai':
      return wireTurn(message as AIMessage, origin, quirks)
    default:
      return {
        role: (message as ChatMessage).role ?? 'user',
        content: wireContent(message.content),
        ...(message.name && { name: message.name }),
      }
  }
}

function wireTurn(turn: AIMessage, origin: string, quirks: EndpointQuirks): object {
  const { tool_calls: calls = [], additional_kwargs } = turn
  const words = additional_kwargs.provider_words as ProviderWords | undefined
  const own = words?.origin === origin ? words : undefined
  const { message, call } = own ? { message: own.message } : (quirks.standIns ?? {})
  const tool_calls = calls.map(({ id = '', name, args }, index) => {
    return {
      ...(own ? own.calls[index] : call),
      id: wireId(id, quirks),
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }
  })
  return { ...message, role: 'assistant', content: plainText(turn), ...(calls.length > 0 && { tool_calls }) }
}

function wireId(id: string, { hasShortIds }: EndpointQuirks): string {
  if (!hasShortIds || /^[a-zA-Z0-9]{9}$/.test(id)) return id
  return createHash('sha256').update(id).digest('hex').slice(0, 9)
}

function wireContent(content: MessageContent): unknown {
  if (typeof content === 'string') return content
  return content.map(part =>
    isDataContentBlock(part) && part.type === 'image' ? convertToOpenAIImageBlock(part as never) : part,
  )
}
