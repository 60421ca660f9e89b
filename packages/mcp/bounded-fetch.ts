import { setImmediate as turn } from 'node:timers/promises'
import type { Inflow } from './inflow.ts'

/** How long a request may take, its response included; longer than a tool's time limit and any wait of ours. */
const TIMEOUT_MS = 60_000
/** Most messages in a response that is a list of them. */
const MAX_BATCH = 100
/** How much of a stream of events is read before others may have their turn, in bytes. */
const SLICE_BYTES = 4_096

/** A `fetch` that counts what a server sends, and does not wait for ever. */
export function boundedFetch(inflow: Inflow) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url, isOpenEnded(init) ? init : withTimeout(init))
    if (response.body === null) return response
    const hasEvents = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    const count = inflow.counter(hasEvents ? 'events' : 'message')
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      async transform(piece, controller) {
        count(piece)
        if (!hasEvents) return controller.enqueue(piece)
        for (let at = 0; at < piece.length; at += SLICE_BYTES) {
          controller.enqueue(piece.subarray(at, at + SLICE_BYTES))
          await turn()
        }
      },
    })
    const bounded = new Response(response.body.pipeThrough(counted), response)
    const json = async () => {
      const body: unknown = JSON.parse(await bounded.text())
      if (Array.isArray(body) && body.length > MAX_BATCH) throw inflow.end('it sends too much')
      return body
    }
    // Hono's Response, which is the global one, lets nothing be assigned.
    return Object.defineProperty(bounded, 'json', { value: json })
  }
}

/** Whether the response is a stream of whatever happens later: the old protocol asks for it by GET, the new one by name. */
function isOpenEnded({ method, headers }: RequestInit): boolean {
  return method === 'GET' || new Headers(headers).get('mcp-method') === 'subscriptions/listen'
}

function withTimeout(init: RequestInit): RequestInit {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  return { ...init, signal: init.signal ? AbortSignal.any([init.signal, timeout]) : timeout }
}
