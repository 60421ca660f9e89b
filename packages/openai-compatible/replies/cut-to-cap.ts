import { plainText } from '@agent-task-service/messages/message-text'
import { AIMessageChunk, type AIMessageChunkFields } from '@langchain/core/messages'
import type { Host } from '../host.ts'
import type { Sign } from './end-of-reply.ts'

/** A whole reply, cut as if the provider had accepted a lower cap. Its usage is what was billed. */
export async function cutToCap(
  cap: number,
  parts: AsyncIterable<AIMessageChunkFields | Sign>,
  { firstTokens = async (text, limit) => text.slice(0, 4 * limit) }: Host,
): Promise<AIMessageChunkFields> {
  let reply = new AIMessageChunk('')
  for await (const part of parts) if (typeof part !== 'string') reply = reply.concat(new AIMessageChunk(part))
  const { id, additional_kwargs, response_metadata, usage_metadata } = reply
  const text = plainText(reply)
  const content = await firstTokens(text, cap)
  const isCut = content !== text || (usage_metadata?.output_tokens ?? 0) > cap
  const { provider_words: words, answer_starts_at: _, ...others } = additional_kwargs
  return {
    content,
    ...(id !== undefined && { id }),
    ...(!isCut && { tool_call_chunks: reply.tool_call_chunks }),
    additional_kwargs: isCut ? others : { ...others, provider_words: words },
    response_metadata: isCut ? { ...response_metadata, finish_reason: 'length' } : response_metadata,
    ...(usage_metadata && { usage_metadata }),
  }
}
