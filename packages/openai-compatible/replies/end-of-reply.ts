import { addAbortListener } from 'node:events'
import type { AIMessageChunkFields } from '@langchain/core/messages'
import { ModelConnectionError } from '../errors.ts'
import { Pace } from './pace.ts'
import type { StreamedReply } from './reply.ts'

/** Reads the chunks of one reply. */
interface ReplyReader {
  readonly reply: StreamedReply
  read(chunk: unknown): void
}

/** What a reply tells between its parts: text has come that is not yet certain; it has finished, though its server may go on. */
export type Sign = 'held' | 'finished'

/** Passes on the chunks of a reply, those that arrive together at once, until the signal aborts. */
export type Receive = (signal: AbortSignal, onChunks: (chunks: readonly unknown[]) => void) => Promise<void>

/** How long a server may keep the connection open behind the end that it marked. Closing it sooner would waste it. */
const LINGER_MS = 1_000
/**
 * How long nothing must come behind a finish, for servers that mark no end. Twice as long as the longest pause that was
 * reported between a finish that is none and more content.
 */
const SILENCE_MS = 3_000

/**
 * The parts of one reply, the last with what is known only at its end, and signs between them. Each part costs LangChain the
 * same whatever its size, so the first is passed on at once, then every 40 ms what has arrived. A reply ends where the server
 * marks it, with its body, or by silence behind a finish, even if the connection stays open or breaks.
 *
 * @param receive sends the request
 */
export async function* replyParts(
  reader: ReplyReader,
  signal: AbortSignal | undefined,
  receive: Receive,
): AsyncGenerator<AIMessageChunkFields | Sign> {
  const { reply } = reader
  const over = new AbortController()
  const end = AbortSignal.any(signal ? [signal, over.signal] : [over.signal])
  const quiet = new Quiet(() => over.abort())
  using pace = new Pace()
  using _ = addAbortListener(end, () => pace.end())
  const received = receive(end, chunks => {
    quiet.pause()
    try {
      for (const chunk of chunks) reader.read(chunk)
    } finally {
      pace.arrive()
    }
    if (isComplete(reply)) quiet.wait(reply.isEnded ? LINGER_MS : SILENCE_MS, reply.arrivals)
  }).finally(() => pace.end())
  received.catch(() => undefined)
  try {
    yield* gathered(reply, pace, signal)
    await received
  } catch (error) {
    const isCut = over.signal.aborted || error instanceof ModelConnectionError
    if (signal?.aborted || !isComplete(reply) || !isCut) throw error
  } finally {
    quiet.pause()
    // Whoever reads has stopped.
    if (!pace.isEnded) over.abort()
  }
  yield reply.end()
}

/**
 * What has arrived, whenever a part is due, also before an error. What comes with the end of a reply is in its last part, unless
 * the signal aborts before.
 */
async function* gathered(
  reply: StreamedReply,
  pace: Pace,
  signal: AbortSignal | undefined,
): AsyncGenerator<AIMessageChunkFields | Sign> {
  let arrivals = 0
  for (let mayFollow = true; mayFollow; ) {
    mayFollow = await pace.next()
    const hasNews = reply.arrivals !== arrivals
    arrivals = reply.arrivals
    const part = reply.isEnded && !signal?.aborted ? undefined : reply.take()
    if (part) {
      if (mayFollow) pace.hold()
      yield part
    }
    if (reply.isFinished && !reply.isEnded && hasNews) yield 'finished'
  }
}

function isComplete({ isEnded, isFinished }: StreamedReply): boolean {
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
