import { withFinishReason } from '@agent-task-service/messages/finish-reason'
import type { AIMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk } from '@langchain/core/outputs'

/** The same chunks, the first that tells why the reply ends with the reason in its message: LangChain keeps only the message. */
export async function* keepFinishReason(
  chunks: AsyncIterable<ChatGenerationChunk>,
): AsyncGenerator<ChatGenerationChunk> {
  let isKept = false
  for await (const chunk of chunks) {
    const message = isKept
      ? chunk.message
      : withFinishReason(chunk.message as AIMessage, chunk.generationInfo)
    if (message !== chunk.message) {
      isKept = true
      chunk.message.response_metadata = message.response_metadata
    }
    yield chunk
  }
}
