import { type Listening, listen } from '@agent-task-service/engine/server'
import { runEvents, type StreamEvent, type StreamEventType } from '@agent-task-service/wire/contract'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { onTestFinished } from 'vitest'
import { type ServiceOptions, type TestService, testService } from './service.ts'

/** A service on a socket, until the end of the test. */
export async function serve(
  env: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<TestService & Listening & { readonly url: string }> {
  const service = await testService(env, options)
  const listening = await listen(service, { port: 0, hostname: '127.0.0.1' })
  onTestFinished(() => listening.drain(500))
  return { ...service, ...listening, url: `http://127.0.0.1:${listening.port}` }
}

interface WatchedRun {
  /** The next event, validated against its published schema; `undefined` at the end of the stream. */
  next(): Promise<StreamEvent | undefined>
  /** The next event of this type; skips those before it. */
  nextOf<Type extends StreamEventType>(type: Type): Promise<Extract<StreamEvent, { type: Type }>>
  /** All remaining events. */
  rest(): Promise<StreamEvent[]>
  /** Disconnects. */
  close(): void
}

/** Watches a run; disconnects after the test. */
export function watchRun(url: string, body: unknown, headers: Record<string, string> = {}): WatchedRun {
  const connection = new AbortController()
  const close = () => connection.abort()
  onTestFinished(close)
  const messages = messagesOf(
    fetch(`${url}/run`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
      signal: connection.signal,
    }),
    connection.signal,
  )
  const next: WatchedRun['next'] = async () => {
    const { value } = await messages.next()
    if (value === undefined) return undefined
    const type = value.event as StreamEventType
    return { type, data: runEvents[type].parse(JSON.parse(value.data)) } as StreamEvent
  }
  const nextOf: WatchedRun['nextOf'] = async type => {
    for (;;) {
      const event = await next()
      if (event === undefined) throw new Error(`expected an event ${type}, got the end of the stream`)
      if (event.type === type) return event as Extract<StreamEvent, { type: typeof type }>
    }
  }
  const rest: WatchedRun['rest'] = async () => {
    const events: StreamEvent[] = []
    for (let event = await next(); event; event = await next()) events.push(event)
    return events
  }
  return { next, nextOf, rest, close }
}

/** The messages of a stream, until it ends or is cut. */
async function* messagesOf(response: Promise<Response>, signal: AbortSignal) {
  try {
    const { body } = await response
    yield* body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
