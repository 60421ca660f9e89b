import { finishReasonOf, withFinishReason } from '@agent-task-service/messages/finish-reason'
import type { AIMessage, BaseMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk, ChatResult } from '@langchain/core/outputs'

/** Tells in each message of one model why it ended: LangChain keeps only the message. What it has learnt to be an end is `stop`. */
export class ReplyEnds {
  readonly #learnt = new Set<string>()

  /** From now on the reason is an ordinary end. */
  learn(reason: string): void {
    this.#learnt.add(reason)
  }

  async *inChunks(chunks: AsyncIterable<ChatGenerationChunk>): AsyncGenerator<ChatGenerationChunk> {
    let isTold = false
    for await (const chunk of chunks) {
      // LangChain would join the words of several chunks.
      const wasBeside = this.#tell(chunk.message, isTold ? {} : chunk.generationInfo)
      isTold ||= wasBeside
      yield chunk
    }
  }

  inResult(result: ChatResult): ChatResult {
    for (const { message, generationInfo } of result.generations) this.#tell(message, generationInfo)
    return result
  }

  /** @returns whether the reason was told only beside the message */
  #tell(message: BaseMessage, generationInfo: Record<string, unknown> | undefined): boolean {
    const told = withFinishReason(message as AIMessage, generationInfo)
    const isEnd = this.#learnt.has(finishReasonOf(told) ?? '')
    message.response_metadata = { ...told.response_metadata, ...(isEnd && { finish_reason: 'stop' }) }
    return told !== message
  }
}
