import { RUN_HEADER, type Session } from '../../api.ts'
import { objectIn, textOf } from '../../json.ts'

export type Api = ReturnType<typeof createApi>

/**
 * A client for the platform's API; see `staging/api.ts` for the paths and answers. Every call throws an `Error` whose
 * message says what is wrong, or an `AbortError` if its signal aborts.
 *
 * @param onRefused called when the session has ended
 */
export function createApi(formToken: string, onRefused: () => void) {
  async function send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
    const headers = { ...init.headers, 'x-form-token': formToken }
    const response = await fetch(path, { ...init, headers, cache: 'no-store' }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error
      throw new Error('The platform cannot be reached.')
    })
    // An agent may answer 401 as well; that belongs in the run's record and does not end the session.
    if (response.status === 401 && !response.headers.has(RUN_HEADER)) {
      onRefused()
      throw new Error('The session has ended.')
    }
    return response
  }

  async function json<Body>(path: string, init: Parameters<typeof send>[1]): Promise<Body> {
    const response = await send(path, init)
    if (response.ok) return (await response.json()) as Body
    throw new Error(await describeFailure(response))
  }

  return {
    get: <Body>(path: string, signal: AbortSignal) => json<Body>(path, { signal }),
    post: <Body>(path: string) => json<Body>(path, { method: 'POST' }),
    /** Runs a task; the response may be JSON or an event stream, with any status. */
    run: (agentId: string, request: object, signal: AbortSignal) =>
      send(agentPath(agentId, 'run'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream, application/json' },
        body: JSON.stringify(request),
        signal,
      }),
  }
}

export function agentPath(id: string, what: 'checks' | 'health' | 'run' | 'timeline'): string {
  return `/api/agents/${encodeURIComponent(id)}/${what}`
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

/** Takes the staging token from `#token=` and removes it from the address; null without one. */
export function takeToken(): string | null {
  const given = /^#token=(.+)$/.exec(location.hash)?.[1]
  if (given === undefined) return null
  history.replaceState(null, '', `${location.pathname}#/`)
  try {
    return decodeURIComponent(given)
  } catch {
    return given
  }
}

/**
 * Returns the form token of a session: a new one if `token` is given, otherwise the one of the browser's cookie. Null
 * when the platform refuses.
 *
 * @throws {Error} when the platform cannot be reached
 */
export async function formTokenFor(token: string | null): Promise<string | null> {
  const init = token === null ? {} : { method: 'POST', headers: { authorization: `Bearer ${token}` } }
  const response = await fetch('/api/session', { ...init, cache: 'no-store' }).catch(() => {
    throw new Error('The platform cannot be reached.')
  })
  return response.ok ? ((await response.json()) as Session).formToken : null
}
