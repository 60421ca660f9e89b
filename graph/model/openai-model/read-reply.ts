import type { AIMessageChunkFields } from '@langchain/core/messages'
import { ModelConnectionError } from '../model-error.ts'

/** Reads one reply, in either API. */
export interface Reader {
  /**
   * @param chunk a parsed stream event, a whole reply, or `[DONE]`
   * @returns the part of the message it adds; `undefined` if nothing
   * @throws {ProviderError} if the chunk reports an error; {ModelReplyError} if it does not follow the protocol
   */
  read(chunk: unknown): AIMessageChunkFields | undefined
  /** Whether the reply has all its parts, even if the connection stays open. */
  readonly isComplete: boolean
  /**
   * @returns the whole message
   * @throws {ModelReplyError} if the reply ended before the model had finished
   */
  end(): AIMessageChunkFields
}

/** How long a server may take to end a reply that is complete. Closing the connection sooner would waste it. */
const LINGER_MS = 1_000

/**
 * Reads a reply to its end. A complete reply ends even if the server keeps the connection open or breaks it.
 *
 * @param post sends the request, and yields the chunks of the reply until the signal aborts
 * @param report receives the parts as they arrive
 * @returns the whole message
 */
export async function readReply(
  reader: Reader,
  signal: AbortSignal | undefined,
  post: (signal: AbortSignal) => AsyncIterable<unknown>,
  report: (part: AIMessageChunkFields) => Promise<void>,
): Promise<AIMessageChunkFields> {
  const over = new AbortController()
  let linger: NodeJS.Timeout | undefined
  let reported = 0
  try {
    for await (const chunk of post(AbortSignal.any(signal ? [signal, over.signal] : [over.signal]))) {
      const part = reader.read(chunk)
      reported += part?.content?.length ?? 0
      if (part) await report(part)
      if (!reader.isComplete) continue
      clearTimeout(linger)
      linger = setTimeout(() => over.abort(), LINGER_MS)
    }
  } catch (error) {
    const isCut = over.signal.aborted || error instanceof ModelConnectionError
    if (signal?.aborted || !reader.isComplete || !isCut) throw error
  } finally {
    clearTimeout(linger)
  }
  const whole = reader.end()
  // Text that might have begun a tag was held back.
  const rest = whole.content?.slice(reported) ?? ''
  if (rest.length > 0) await report({ content: rest })
  return whole
}
