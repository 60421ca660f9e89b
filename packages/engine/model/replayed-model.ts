import { plainText } from '@agent-task-service/messages/message-text'
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'

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
