import { AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'

/**
 * The same chunks, with pieces of a call's arguments joined. LangChain parses all arguments so far with each chunk, so
 * each joined piece is as long as all before it: long arguments are then read in linear time.
 */
export async function* gatherArguments(
  chunks: AsyncIterable<ChatGenerationChunk>,
): AsyncGenerator<ChatGenerationChunk> {
  let read = 0
  let held = ''
  let index: number | undefined
  function* release() {
    if (held === '') return
    const piece = { index, args: held, type: 'tool_call_chunk' as const }
    read += held.length
    held = ''
    yield new ChatGenerationChunk({
      text: '',
      message: new AIMessageChunk({ content: '', tool_call_chunks: [piece] }),
    })
  }
  for await (const chunk of chunks) {
    const more = moreArguments(chunk)
    if (!more || more.index !== index) yield* release()
    if (more) {
      index = more.index
      held += more.args
      if (held.length >= read) yield* release()
    } else yield chunk
  }
  yield* release()
}

/** What a chunk adds to the arguments of one call, if it brings nothing else. */
function moreArguments({ message }: ChatGenerationChunk): { index: number; args: string } | undefined {
  if (!(message instanceof AIMessageChunk)) return undefined
  const { content, tool_call_chunks: pieces = [] } = message
  const [{ id, name, args = '', index } = {}] = pieces
  if (pieces.length !== 1 || id || name || index === undefined || content.length > 0) return undefined
  const others = { ...message.additional_kwargs, ...message.response_metadata, ...message.usage_metadata }
  return Object.keys(others).length === 0 ? { index, args } : undefined
}
