import { RUN_HEADER, type Session } from '../../api.ts'
import { objectIn, textOf } from '../../json.ts'

export type Api = ReturnType<typeof createApi>

/**
 * The platform's API, as `staging/api.ts` has it: its paths and what each answers. Every call throws an `Error` that
 * says what is wrong, or an `AbortError` by its signal.
 *
 * @param onRefused called when the session is over
 */
export function createApi(formToken: string, onRefused: () => void) {
  async function send(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
    const headers = { ...init.headers, 'x-form-token': formToken }
    const response = await fetch(path, { ...init, headers, cache: 'no-store' }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error
      throw new Error('The platform cannot be reached.')
    })
    // An agent may answer this too; then it belongs to the run's record and not to this session.
    if (response.status === 401 && !response.headers.has(RUN_HEADER)) {
      onRefused()
      throw new Error('The session is over.')
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
    /** Runs a task; the answer may be JSON or an event stream, of any status. */
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

/** Members of a query without those that say nothing. */
export function search(members: Record<string, string | number | null | undefined>): URLSearchParams {
  const given = Object.entries(members).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
}

/** What went wrong, in the platform's words if it sent any. */
export async function describeFailure(response: Response): Promise<string> {
  const { error } = objectIn(await response.text())
  return textOf(error) || `The platform answered with status ${response.status}.`
}

/** The staging token that the address brings along, in `#token=`, which it then no longer shows; null without one. */
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
 * The form token of a session: one begun with the staging token, else the one that the browser has a cookie for. Null
 * where the platform refuses.
 *
 * @throws {Error} where the platform cannot be reached
 */
export async function formTokenFor(token: string | null): Promise<string | null> {
  const init = token === null ? {} : { method: 'POST', headers: { authorization: `Bearer ${token}` } }
  const response = await fetch('/api/session', { ...init, cache: 'no-store' }).catch(() => {
    throw new Error('The platform cannot be reached.')
  })
  return response.ok ? ((await response.json()) as Session).formToken : null
}
