import { shortId } from '@agent-task-service/messages/acceptable-messages'
import { plainText } from '@agent-task-service/messages/message-text'
import {
  type AIMessage,
  type BaseMessage,
  type ChatMessage,
  convertToOpenAIImageBlock,
  isDataContentBlock,
  type MessageContent,
  type ToolMessage,
} from '@langchain/core/messages'
import type { ApiCall, EndpointQuirks, MaxTokensParam, ProviderWords, RequestSettings } from '../call.ts'

/** The body of a request in chat completions, as JSON. */
export function chatRequest(
  { messages, options, stream, origin, quirks }: ApiCall,
  { model, temperature, maxTokens, params }: RequestSettings,
): string {
  const { tools = [], tool_choice, response_format, stop } = options
  const { capName = capNameOf(model) } = quirks
  const body: Record<string, unknown> = {
    model,
    messages: messages.map(message => wireMessage(message, origin, quirks)),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && tool_choice !== undefined && { tool_choice: wireChoice(tool_choice) }),
    ...(stream && { stream: true }),
    ...(stream && { stream_options: { include_usage: true } }),
    ...(temperature !== undefined && { temperature }),
    ...(stop && stop.length > 0 && { stop }),
    ...params,
    ...(response_format !== undefined && { response_format }),
    ...(maxTokens !== undefined && { [capName]: maxTokens }),
  }
  return JSON.stringify(sentMembers(body, quirks))
}

/** Without the members that a setting removes, or the endpoint refuses. */
export function sentMembers(body: object, quirks: EndpointQuirks): Record<string, unknown> {
  const isSent = ([name, value]: [string, unknown]) => value !== null && !quirks[`refuses_${name}`]
  return Object.fromEntries(Object.entries(body).filter(isSent))
}

/** OpenAI's reasoning models accept only `max_completion_tokens`; most other servers only `max_tokens`. */
export function capNameOf(model: string): MaxTokensParam {
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
  return shortId(id)
}

function wireContent(content: MessageContent): unknown {
  if (typeof content === 'string') return content
  return content.map(part =>
    isDataContentBlock(part) && part.type === 'image' ? convertToOpenAIImageBlock(part as never) : part,
  )
}
