import { plainText } from '@agent-task-service/messages/message-text'
import { isObject } from '@agent-task-service/wire/untrusted'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import {
  AIMessageChunk,
  type AIMessageFields,
  type BaseMessage,
  type UsageMetadata,
} from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { z } from 'zod'
import { fromPlaces, toPlaces } from './numbered-tools.ts'

const json = z.record(z.string(), z.unknown())
const count = z.number().min(0)
const id = z.string()
const name = z.string()

/** A reply, as `normalizeReply` made it, in LangChain's members. */
const message = z.object({
  id: z.string().optional(),
  content: z.union([z.string(), z.array(z.custom<object>(isObject))]),
  tool_calls: z.array(z.object({ id, name, args: json, type: z.literal('tool_call') })),
  invalid_tool_calls: z.array(z.object({ id, name, args: z.string(), type: z.literal('invalid_tool_call') })),
  additional_kwargs: json,
  response_metadata: json,
  usage_metadata: z.custom<UsageMetadata>(isObject).optional(),
})

/** What a call of the list of models has brought, as JSON. */
export const recordedReply = z.object({
  message,
  /** Name of the model that replied. */
  model: z.string(),
  /** Whether the call began past the soft deadline. */
  isLate: z.boolean(),
  /** Of all tries of the call. */
  usage: z.object({
    tokens: z.object({ inputTokens: count, outputTokens: count, cachedTokens: count.optional() }),
    cost: z
      .object({ usd: count.optional(), isEstimate: z.boolean() })
      .transform(({ usd, isEstimate }) => ({ usd, isEstimate })),
  }),
})

export type RecordedReply = z.output<typeof recordedReply>

export function recordOf(reply: AIMessageChunk, tools: readonly BindToolsInput[]) {
  const { id, content, invalid_tool_calls } = reply
  const tool_calls = toPlaces(reply.tool_calls ?? [], tools)
  const { additional_kwargs, response_metadata, usage_metadata } = reply
  return { id, content, tool_calls, invalid_tool_calls, additional_kwargs, response_metadata, usage_metadata }
}

export function messageOf({ message }: RecordedReply, tools: readonly BindToolsInput[]): AIMessageChunk {
  const tool_calls = fromPlaces(message.tool_calls, tools)
  const reply = new AIMessageChunk({ ...message, tool_calls } as AIMessageFields)
  // The chunk's constructor drops them.
  reply.invalid_tool_calls = message.invalid_tool_calls
  return reply
}

/** Answers with a recorded reply, so that callbacks see the call as they saw it when it was made. */
export class ReplayedModel extends BaseChatModel {
  readonly #reply: AIMessageChunk

  constructor(reply: AIMessageChunk) {
    super({})
    this.#reply = reply
  }

  override _llmType(): string {
    return 'replayed'
  }

  /** None of its own: traces show the provider that replied. */
  override getLsParams() {
    return { ls_model_type: 'chat' as const }
  }

  override async _generate(
    _messages: BaseMessage[],
    _options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): Promise<ChatResult> {
    const text = plainText(this.#reply)
    if (text !== '') await runManager?.handleLLMNewToken(text)
    return { generations: [{ text, message: this.#reply }] }
  }
}
