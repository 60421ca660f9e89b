import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { type OpenReply, wholeOf } from '../../agents/agent-client.ts'
import type { eventRecorder } from '../../agents/event-recorder.ts'
import type { Exchange, Failure } from '../../agents/exchange.ts'
import { REPLICA_LOST, type RecordedEvent } from '../../api.ts'
import { objectIn } from '../../json.ts'
import { isEventStream } from './answer.ts'
import type { RelayResult } from './outcome.ts'

const CUT_SHORT: Failure = { kind: 'other', message: 'the event stream ended without run_finished' }
const HUNG_UP: Failure = { kind: 'aborted', message: 'the caller hung up' }

type Recorder = Pick<ReturnType<typeof eventRecorder>, 'add'>

/** How a run ends: by its response, or the way the stream ended without one; or because the platform itself failed. */
interface Ends {
  conclude(exchange: Exchange): RelayResult
  fail(error: unknown): RelayResult
  /** What comes in place of a reply that was cut off, if anything does. */
  takeOver(failure: Failure | null): Promise<TakenOver | undefined>
}

/** A run that another replica has got. */
export interface TakenOver {
  readonly lost: RecordedEvent
  readonly reply: OpenReply | Exchange
}

const STAGING_ERROR = 'staging_error'
/** Those that the platform alone sends: what an agent sends under these names is dropped. */
const PLATFORM_EVENTS: readonly string[] = [STAGING_ERROR, REPLICA_LOST]

/**
 * Relays the events of a run as they arrive. The last one, `run_finished`, waits until its response has been judged. If
 * the response violates the contract or is missing, `staging_error` replaces it, with the reply that a caller without a
 * stream would have got. Where another replica takes the run over, its events follow behind `replica_lost`.
 *
 * @param recorder receives every event
 * @param ends one of `conclude` and `fail` is called, once
 */
export async function* relay(
  reply: OpenReply,
  recorder: Recorder,
  { conclude, fail, takeOver }: Ends,
): AsyncGenerator<string, void> {
  let isConcluded = false
  const end = (exchange: Exchange) => {
    isConcluded = true
    return conclude(exchange)
  }
  let current: OpenReply | Exchange = reply
  try {
    for (;;) {
      const ending = isStream(current) ? yield* eventsOf(current, recorder) : await wholeOf(current)
      if ('data' in ending) {
        yield last(ending, end(finished(reply, ending.data)))
        return
      }
      const taken = await takeOver(ending.failure)
      if (taken === undefined) {
        yield last({ event: STAGING_ERROR, data: ending.body }, end(ending))
        return
      }
      yield encode({ event: taken.lost.type, data: JSON.stringify(taken.lost.data) })
      current = taken.reply
    }
  } catch (error) {
    isConcluded = true
    yield last({ data: '' }, fail(error))
  } finally {
    // The caller hung up while an event was waiting to be read.
    if (!isConcluded) end(unfinished(reply, HUNG_UP))
  }
}

export function isStream(reply: OpenReply | Exchange): reply is OpenReply & { status: 200 } {
  return 'read' in reply && reply.status === 200 && isEventStream(reply.headers['content-type'])
}

/** Yields what came of one reply, but its last event. @returns that, or the exchange that ended without it */
async function* eventsOf(
  reply: OpenReply,
  recorder: Recorder,
): AsyncGenerator<string, EventSourceMessage | Exchange> {
  const arrived: (EventSourceMessage | string)[] = []
  const parser = createParser({
    onEvent: event => arrived.push(event),
    onComment: comment => arrived.push(`: ${comment}\n\n`),
  })
  const decoder = new TextDecoder()
  const chunks = reply.chunks()
  try {
    let next = await chunks.next()
    for (; !next.done; next = await chunks.next()) {
      parser.feed(decoder.decode(next.value, { stream: true }))
      for (const item of arrived.splice(0)) {
        if (typeof item === 'string') {
          yield item
          continue
        }
        if (PLATFORM_EVENTS.includes(item.event ?? '')) continue
        recorder.add(item.event, objectIn(item.data), item.data.length)
        if (item.event === 'run_finished') return item
        yield encode(item)
      }
    }
    return unfinished(reply, next.value ?? CUT_SHORT)
  } finally {
    await chunks.return(null)
  }
}

function last(event: EventSourceMessage, { answer }: RelayResult): string {
  return encode(answer === null ? event : { event: STAGING_ERROR, data: JSON.stringify(answer) })
}

/** The response in the last event, as the reply that a caller without a stream would have got. */
function finished(reply: OpenReply, data: string): Exchange {
  const { response } = objectIn(data)
  const headers = { ...reply.headers, 'content-type': 'application/json' }
  const body = response === undefined ? data : JSON.stringify(response)
  return { status: reply.status, headers, body, json: response, wallMs: reply.wallMs(), failure: null }
}

function unfinished({ status, headers, wallMs }: OpenReply, failure: Failure): Exchange {
  return { status, headers, body: '', json: undefined, wallMs: wallMs(), failure }
}

function encode({ event, id, data }: EventSourceMessage): string {
  const lines = [
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...data.split('\n').map(line => `data: ${line}`),
  ]
  return `${lines.join('\n')}\n\n`
}
