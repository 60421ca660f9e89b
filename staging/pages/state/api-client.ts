import { objectIn, textOf } from '../../json.ts'

/**
 * A client for the platform's API; see `staging/api.ts` for the paths and answers. Every call throws an `Error` whose
 * message says what is wrong, or an `AbortError` if its signal aborts.
 */
export const api = {
  get: <Body>(path: string, signal: AbortSignal) => json<Body>(path, { signal }),
  post: <Body>(path: string, body?: object) =>
    json<Body>(path, { method: 'POST', ...(body && { body: JSON.stringify(body) }) }),
  /** Runs a task; the response may be JSON or an event stream, with any status. */
  run: (agentId: string, request: object, signal: AbortSignal) =>
    send(agentPath(agentId, 'run'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream, application/json' },
      body: JSON.stringify(request),
      signal,
    }),
}

async function send(path: string, init: RequestInit): Promise<Response> {
  return await fetch(path, { ...init, cache: 'no-store' }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error
    throw new Error('The platform cannot be reached.')
  })
}

async function json<Body>(path: string, init: RequestInit): Promise<Body> {
  const response = await send(path, init)
  if (response.ok) return (await response.json()) as Body
  throw new Error(await describeFailure(response))
}

export function agentPath(id: string, what: 'checks' | 'health' | 'run'): string {
  return `/api/agents/${id}/${what}`
}

/** Builds a query without the empty members. */
export function search(members: Record<string, string | number | null | undefined>): URLSearchParams {
  const given = Object.entries(members).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
}

/** The error message of a response, the platform's own if it sent one. */
export async function describeFailure(response: Response): Promise<string> {
  const { error } = objectIn(await response.text())
  return textOf(error) || `The platform answered with status ${response.status}.`
}
