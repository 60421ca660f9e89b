import { countMessages, countRequest } from '@agent-task-service/engine/tokens'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput,
} from '@langchain/core/language_models/chat_models'
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { decide } from './decide.ts'

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

  /** Start-up reads this to check that the cap reached the model, and a run which tools are on offer. */
  override invocationParams(options?: this['ParsedCallOptions']) {
    return { max_tokens: this.#maxTokens, tools: options?.tools }
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

  /** Reports the words of the reply and yields it whole. */
  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this['ParsedCallOptions'],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const message = await this.#reply(messages, options)
    for (const word of wordsIn(message.text)) {
      options.signal?.throwIfAborted()
      const chunk = new ChatGenerationChunk({ text: word, message: new AIMessageChunk({ content: word }) })
      await runManager?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk })
    }
    yield new ChatGenerationChunk({ text: message.text, message })
  }

  async #reply(messages: BaseMessage[], options: this['ParsedCallOptions']): Promise<AIMessageChunk> {
    const { tools = [], signal } = options
    const maxTokens = this.#maxTokens
    const names = tools.map(tool => tool.function.name)
    const { text, calls } = await decide(messages, names)
    const replyTokens = await countMessages([new AIMessageChunk({ content: text, tool_calls: calls })])
    const inputTokens = await countRequest({ messages, tools })
    signal?.throwIfAborted()
    const isCut = maxTokens !== undefined && replyTokens > maxTokens
    const outputTokens = isCut ? maxTokens : replyTokens
    const cutLength = Math.floor((text.length * outputTokens) / replyTokens)
    return new AIMessageChunk({
      content: isCut ? wholeWords(text.slice(0, cutLength)) : text,
      tool_calls: isCut ? [] : calls,
      response_metadata: { finish_reason: isCut ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop' },
      usage_metadata: {
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
      },
    })
  }
}

/** The words with the white space before them, the last one also with that behind it. */
function wordsIn(text: string): string[] {
  const end = text.trimEnd().length
  const words = text.slice(0, end).match(/\s*\S+/g) ?? []
  return words.map((word, index) => (index === words.length - 1 ? word + text.slice(end) : word))
}

/** Without the last word, of which a part may be missing. */
function wholeWords(text: string): string {
  const end = Math.max(0, ...[' ', '\n', '\t'].map(space => text.lastIndexOf(space)))
  return text.slice(0, end).trimEnd()
}
