import { isDeepStrictEqual } from 'node:util'
import { plainText } from '@agent-task-service/messages/message-text'
import {
  isObject,
  type JsonObject,
  membersOf,
  parseExactJson,
  toText,
} from '@agent-task-service/wire/untrusted'
import type { ModelProfile } from '@langchain/core/language_models/profile'
import { AIMessage, type BaseMessage, type ToolCall, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAIResponses, convertMessagesToResponsesInput } from '@langchain/openai'
import type { ApiCall, ProviderWords, RequestSettings } from '../call.ts'
import { sentMembers, wireChoice } from './chat-request.ts'

/** OpenAI's models that do not reason refuse to encrypt their reasoning. */
const WITHOUT_REASONING = /^(gpt-[34]|chatgpt|gpt-[5-9][\d.]*-chat)/

/** The least `max_output_tokens` that OpenAI accepts. */
export const LEAST_CAP = 16

/** LangChain's profile of one of OpenAI's models; empty for others. */
export function profileOf(model: string): ModelProfile {
  return new ChatOpenAIResponses({ model, apiKey: 'not used' }).profile
}

/**
 * The body of a request in the Responses API, as JSON. LangChain converts the messages. Nothing is stored at the provider: a
 * model's reasoning comes encrypted and goes back with its turn.
 */
export function responsesRequest(
  { messages, options, stream, origin, quirks }: ApiCall,
  { model, temperature, maxTokens, params = {} }: RequestSettings,
): string {
  const { tools = [], tool_choice, response_format: requested } = options
  const { reasoning_effort, verbosity, response_format, ...members } = params
  const asked = requested ?? response_format
  const format = isObject(asked) ? flattened(asked) : undefined
  const turns = messages.map(message => wireTurn(message, origin))
  const body: JsonObject = {
    model,
    input: convertMessagesToResponsesInput({ messages: turns, model, zdrEnabled: false }),
    ...(tools.length > 0 && {
      tools: tools.map(tool => ({ type: 'function', ...tool.function, strict: false })),
      ...(tool_choice !== undefined && { tool_choice: choiceOf(tool_choice) }),
    }),
    ...(maxTokens !== undefined && { max_output_tokens: Math.max(maxTokens, LEAST_CAP) }),
    ...(temperature !== undefined && { temperature }),
    ...(typeof reasoning_effort === 'string' && { reasoning: { effort: reasoning_effort } }),
    ...((verbosity ?? format) !== undefined && { text: { verbosity, format } }),
    store: false,
    ...(!WITHOUT_REASONING.test(model) && { include: ['reasoning.encrypted_content'] }),
    ...members,
    stream,
  }
  return JSON.stringify(sentMembers(body, quirks))
}

/** As LangChain converts it right. */
function wireTurn(message: BaseMessage, origin: string): BaseMessage {
  if (message.type === 'tool') return withPlainText(message as ToolMessage)
  return message.type === 'ai' ? ownTurn(message as AIMessage, origin) : message
}

/** A turn of this model with its items as they came; of another, or one that was changed, only what it said and called. */
function ownTurn(turn: AIMessage, origin: string): BaseMessage {
  const { tool_calls: calls = [], additional_kwargs } = turn
  const { origin: maker, items = [] } = (additional_kwargs.provider_words ?? {}) as Partial<ProviderWords>
  const made = items.filter(({ type }) => type === 'function_call')
  const isSame = ({ id, name, args }: ToolCall) =>
    made.some(item => item.call_id === id && item.name === name && isWritten(item.arguments, args))
  const isWhole = calls.length === made.length && calls.every(isSame)
  // Without its content, a reasoning item would be looked up where nothing is stored.
  const isOpaque = items.some(({ type, encrypted_content }) => type === 'reasoning' && !encrypted_content)
  if (maker === origin && items.length > 0 && isWhole && !isOpaque)
    return new AIMessage({ content: '', response_metadata: { output: items } })
  const text = plainText(turn)
  return new AIMessage({ content: text === '' ? [] : text, tool_calls: calls })
}

/** Whether an item has these arguments as they were understood; garbled ones would be refused. */
function isWritten(written: unknown, args: ToolCall['args']): boolean {
  return isDeepStrictEqual(parseExactJson(toText(written)), args)
}

/** LangChain's form of a choice as this API writes it. */
function choiceOf(choice: unknown): unknown {
  const written = wireChoice(choice)
  return isObject(written) && isObject(written.function)
    ? { type: 'function', name: written.function.name }
    : written
}

/** Chat completions' `response_format`, which this API writes with its members one level up. */
function flattened({ json_schema, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...membersOf(json_schema) }
}

/** A result in text blocks as their text, which LangChain would write as JSON. */
function withPlainText(result: ToolMessage): ToolMessage {
  const { content, tool_call_id, status } = result
  if (typeof content === 'string' || content.some(({ type }) => type !== 'text')) return result
  return new ToolMessage({ content: plainText(result), tool_call_id, ...(status && { status }) })
}
