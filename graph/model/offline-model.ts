import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { countMessages, countTokens } from '../run/tokens.ts'

interface CallOptions extends BaseChatModelCallOptions {
  readonly tools?: readonly ReturnType<typeof convertToOpenAITool>[]
}

/**
 * A chat model without a network: it reads the question by rules, calls the matching tools and phrases the answer from
 * their results. Deterministic. Counts usage in o200k_base tokens.
 */
export class OfflineModel extends BaseChatModel<CallOptions> {
  readonly #maxTokens: number | undefined

  /** @param maxTokens output cap per call, in tokens */
  constructor({ maxTokens }: { readonly maxTokens?: number } = {}) {
    super({})
    this.#maxTokens = maxTokens
  }

  override getLsParams(options: this['ParsedCallOptions']) {
    return { ...super.getLsParams(options), ls_provider: 'offline' }
  }

  /** Start-up reads this to check that the cap reached the model. */
  override invocationParams() {
    return { max_tokens: this.#maxTokens }
  }

  override bindTools(tools: BindToolsInput[], { tool_choice }: Partial<CallOptions> = {}) {
    const offered = tool_choice === 'none' ? [] : tools
    return this.withConfig({ tools: offered.map(tool => convertToOpenAITool(tool as never)) })
  }

  override _llmType(): string {
    return 'offline'
  }

  /**
   * @throws {RunFailure} `offline_model` when the question needs a language model or a disabled tool; `tool_failed`
   * when no tool gave a result
   */
  override async _generate(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<ChatResult> {
    const message = await this.#reply(messages, options)
    return { generations: [{ text: message.text, message }] }
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const reply = await this.#reply(messages, options)
    const { content, tool_calls = [], usage_metadata, response_metadata } = reply
    const tool_call_chunks = tool_calls.map(({ id, name, args }, index) => {
      return { id, name, args: JSON.stringify(args), index, type: 'tool_call_chunk' as const }
    })
    const words = (content as string).match(/\s*\S+\s*$|\s*\S+/g) ?? []
    for (const word of words) {
      options.signal?.throwIfAborted()
      const chunk = new ChatGenerationChunk({ text: word, message: new AIMessageChunk({ content: word }) })
      yield chunk
      await runManager?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk })
    }
    const last = new AIMessageChunk({ content: '', tool_call_chunks, usage_metadata, response_metadata })
    yield new ChatGenerationChunk({ text: '', message: last, generationInfo: response_metadata })
  }

  async #reply(
    messages: BaseMessage[],
    { tools = [], signal }: this['ParsedCallOptions'],
  ): Promise<AIMessage> {
    const maxTokens = this.#maxTokens
    const names = tools.map(tool => tool.function.name)
    // The reader indexes the world's cities, so it loads with the first question.
    const { decide } = await import('./offline-model/decide.ts')
    const reply = await decide(messages, names)
    const calls = reply.calls.map(({ name, args }) => ({ name, args }))
    const wanted = await countTokens(reply.text + (calls.length > 0 ? JSON.stringify(calls) : ''))
    const inputTokens =
      (await countMessages(messages)) + (await countTokens(tools.length > 0 ? JSON.stringify(tools) : ''))
    signal?.throwIfAborted()
    const isCut = maxTokens !== undefined && wanted > maxTokens
    const outputTokens = isCut ? maxTokens : wanted
    return new AIMessage({
      content: isCut ? await cut(reply.text, maxTokens) : reply.text,
      tool_calls: isCut ? [] : reply.calls,
      response_metadata: { finish_reason: isCut ? 'length' : reply.calls.length > 0 ? 'tool_calls' : 'stop' },
      usage_metadata: {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
      },
    })
  }
}

/** Truncates a text to `maxTokens` tokens, between words. */
async function cut(text: string, maxTokens: number): Promise<string> {
  const words = text.match(/\s*\S+/g) ?? []
  let kept = ''
  for (const word of words) {
    if ((await countTokens(kept + word)) > maxTokens) break
    kept += word
  }
  return kept
}
