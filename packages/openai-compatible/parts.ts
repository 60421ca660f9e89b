import type { AIMessageChunkFields } from '@langchain/core/messages'
import { ModelConnectionError } from './errors.ts'
import type { ReplyReader } from './reply.ts'

/** How long a server may take to end a reply that is complete. Closing the connection sooner would waste it. */
const LINGER_MS = 1_000

/**
 * The parts of one reply, the last with what is known only at its end. What arrives together is one part, since each costs
 * LangChain the same whatever its size. A complete reply ends even if the server keeps the connection open or breaks it.
 *
 * @param post sends the request, and yields the chunks of the reply that arrive together until the signal aborts
 */
export async function* partsOf(
  reader: ReplyReader,
  signal: AbortSignal | undefined,
  post: (signal: AbortSignal) => AsyncIterable<readonly unknown[]>,
): AsyncGenerator<AIMessageChunkFields> {
  const over = new AbortController()
  let linger: NodeJS.Timeout | undefined
  try {
    const signals = signal ? [signal, over.signal] : [over.signal]
    for await (const chunks of post(AbortSignal.any(signals))) {
      try {
        readAll(reader, chunks)
      } finally {
        // What came before an error counts too; what came with the end of the reply is in its last part.
        const part = reader.isComplete ? undefined : reader.take()
        if (part) yield part
      }
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
  yield reader.end()
}

function readAll(reader: ReplyReader, chunks: readonly unknown[]): void {
  for (const chunk of chunks) reader.read(chunk)
}
