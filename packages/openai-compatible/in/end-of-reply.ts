import type { AIMessageChunkFields } from '@langchain/core/messages'
import { ModelConnectionError } from '../errors.ts'
import type { Reply } from './reply.ts'

/** Reads the chunks of one reply. */
export interface ReplyReader {
  readonly reply: Reply
  read(chunk: unknown): void
}

/** What a reply tells between its parts: text has come that is not yet certain; it has finished, though its server may go on. */
export type Sign = 'held' | 'finished'

/** How long a server may keep the connection open behind the end that it marked. Closing it sooner would waste it. */
const LINGER_MS = 1_000
/**
 * How long nothing must come behind a finish, for servers that mark no end. Twice as long as the longest pause that was
 * reported between a finish that is none and more content.
 */
const SILENCE_MS = 3_000

/**
 * The parts of one reply, the last with what is known only at its end, and signs between them. What arrives together is one part, since each costs LangChain the same whatever its size. A reply ends where the server
 * marks it, with its body, or by silence behind a finish, even if the connection stays open or breaks.
 *
 * @param post sends the request, and yields the chunks of the reply that arrive together until the signal aborts
 */
export async function* partsOf(
  reader: ReplyReader,
  signal: AbortSignal | undefined,
  post: (signal: AbortSignal) => AsyncIterable<readonly unknown[]>,
): AsyncGenerator<AIMessageChunkFields | Sign> {
  const { reply } = reader
  const over = new AbortController()
  const quiet = new Quiet(() => over.abort())
  try {
    const signals = signal ? [signal, over.signal] : [over.signal]
    for await (const chunks of post(AbortSignal.any(signals))) {
      quiet.pause()
      yield* partOf(reader, chunks)
      if (isComplete(reply)) quiet.wait(reply.isEnded ? LINGER_MS : SILENCE_MS, reply.arrivals)
    }
  } catch (error) {
    const isCut = over.signal.aborted || error instanceof ModelConnectionError
    if (signal?.aborted || !isComplete(reply) || !isCut) throw error
  } finally {
    quiet.pause()
  }
  yield reply.end()
}

/** What chunks bring that arrive together. What comes before an error counts too; what ends a reply is in its last part. */
function* partOf(reader: ReplyReader, chunks: readonly unknown[]): Generator<AIMessageChunkFields | Sign> {
  const { reply } = reader
  const before = reply.arrivals
  try {
    for (const chunk of chunks) reader.read(chunk)
  } finally {
    const part = isComplete(reply) ? undefined : reply.take()
    if (part) yield part
  }
  if (reply.isFinished && !reply.isEnded && reply.arrivals !== before) yield 'finished'
}

function isComplete({ isEnded, isFinished }: Reply): boolean {
  return isEnded || isFinished
}

/** Tells when nothing has come for some time. Heartbeats are nothing. */
class Quiet {
  readonly #tell: () => void
  #timer: NodeJS.Timeout | undefined
  #arrivals = -1
  #until = 0

  constructor(tell: () => void) {
    this.#tell = tell
  }

  /** @param arrivals so far: while they stay the same, the time goes on */
  wait(ms: number, arrivals: number): void {
    if (arrivals !== this.#arrivals) this.#until = performance.now() + ms
    this.#arrivals = arrivals
    const left = Math.max(0, this.#until - performance.now())
    const timer = setTimeout(() => {
      // A process that was busy may not have read yet what had come by then.
      setImmediate(() => {
        if (this.#timer === timer) this.#tell()
      })
    }, left)
    this.#timer = timer
  }

  pause(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
