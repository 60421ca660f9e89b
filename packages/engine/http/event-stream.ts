import { HEARTBEAT_SEC, type StreamEventType } from '@agent-task-service/wire/contract'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { encodeReply, type Reply } from '../replies/encode-reply.ts'
import type { EncodedEvent, StreamListener } from '../tasks/event-feed.ts'
import type { SubmittedTask } from '../tasks/join-and-replay.ts'

/** If this many bytes of events wait for a caller, it reads too slowly. */
const MAX_WAITING_BYTES = 128 * 1024

/** Whether the caller prefers the run's events to a single JSON reply. */
export function wantsStream(c: Context): boolean {
  const supports = ['application/json', 'text/event-stream']
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/event-stream'
}

/** The preference (RFC 7240) of a caller who wants `model_input` events, from an agent that may send them. */
const MODEL_INPUT = 'model-input'

function prefersModelInput(c: Context): boolean {
  const preferences = c.req.header('Prefer')?.split(',') ?? []
  return preferences.some(preference => preference.trim().toLowerCase() === MODEL_INPUT)
}

/**
 * Replies with the events of a run as server-sent events; the last, `run_finished`, holds the reply.
 *
 * @param arrivedAt `performance.now()` when the request arrived
 * @param begin starts the run; if it throws, that becomes the reply and there is no stream
 */
export async function streamRun(
  c: Context,
  arrivedAt: number,
  taskId: string,
  begin: (watch: StreamListener) => Promise<Pick<SubmittedTask, 'response'>>,
): Promise<Response> {
  const stream = eventStream(arrivedAt, taskId, prefersModelInput(c))
  const { response } = await begin(events => stream.send(events))
  const heartbeat = setInterval(() => stream.beat(), HEARTBEAT_SEC * 1000)
  const stop = () => clearInterval(heartbeat)
  response
    .then(
      reply => stream.finish(reply),
      error => stream.fail(error),
    )
    .finally(stop)
  return c.body(stream.readable, 200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    // Otherwise proxies such as nginx buffer the events until the run ends.
    'X-Accel-Buffering': 'no',
  })
}

/** What a run may emit in any number. A caller who reads too slowly does without. */
const DISPENSABLE: readonly string[] = ['text', 'custom', 'model_input', 'node_started', 'node_finished']

/** Events as bytes. Drops what is sent after the caller has hung up. */
function eventStream(arrivedAt: number, taskId: string, hasModelInput: boolean) {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined
  let count = 0
  /** What the run has told of its end. */
  let ending = ''
  const readable = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(started) {
        controller = started
      },
      cancel() {
        controller = undefined
      },
    },
    { highWaterMark: MAX_WAITING_BYTES, size: ({ byteLength }) => byteLength },
  )

  function write(text: string): void {
    controller?.enqueue(encoder.encode(text))
  }

  function hasRoomAfter(text: string): boolean {
    return (controller?.desiredSize ?? 0) > text.length
  }

  /** An event up to its shared members. Events that are left out count too, so that callers can notice the gap. */
  function startOf(type: StreamEventType, happenedAt: number): string {
    count += 1
    // A run may have begun before the request of a caller who joins it.
    const at = Math.round(Math.max(0, happenedAt - arrivedAt)) / 1000
    const task = type === 'run_started' ? `"task_id":${JSON.stringify(taskId)},` : ''
    return `event: ${type}\nid: ${count}\ndata: {"v":1,"at":${at},${task}`
  }

  function send(events: readonly EncodedEvent[]): void {
    let text = ''
    for (const { type, at, members } of events) {
      if (type === 'model_input' && !hasModelInput) continue
      if (type === 'run_finished') {
        ending = `${members},`
        continue
      }
      const start = startOf(type, at)
      if (hasRoomAfter(text) || !DISPENSABLE.includes(type)) text += `${start}${members}}\n\n`
    }
    if (text) write(text)
  }

  return {
    readable,
    send,
    /** Sends a comment, so that proxies do not consider the connection dead. */
    beat(): void {
      if (hasRoomAfter('')) write(': heartbeat\n\n')
    },
    finish(response: Reply): void {
      write(`${startOf('run_finished', performance.now())}${ending}"response":`)
      controller?.enqueue(encodeReply(response))
      write('}\n\n')
      controller?.close()
      controller = undefined
    },
    fail(error: unknown): void {
      controller?.error(error)
      controller = undefined
    },
  }
}
