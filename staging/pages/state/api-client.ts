import {
  type AgentView,
  type CheckRun,
  RUN_HEADER,
  type RunPage,
  type RunRecord,
  type Stats,
  type Timeline,
} from '../../api.ts'
import { objectIn, textOf } from '../../json.ts'

export interface RunsQuery {
  readonly agent?: string | null
  readonly status?: string | null
  readonly by?: string | null
  readonly violations?: string | null
  readonly text?: string | null
  readonly before?: string | null
  readonly limit?: number
}

export type Api = ReturnType<typeof createApi>

/**
 * The platform's API, as `staging/api.ts` has it. Every call throws an `Error` that says what
 * is wrong, or an `AbortError` by its signal.
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
    // An agent may answer so too: that is the record of a run, and no matter of this session.
    if (response.status === 401 && !response.headers.has(RUN_HEADER)) {
      onRefused()
      throw new Error('The session is over.')
    }
    return response
  }

  async function json<Body>(path: string, init?: RequestInit): Promise<Body> {
    const response = await send(path, init as Parameters<typeof send>[1])
    if (response.ok) return (await response.json()) as Body
    throw new Error(await describeFailure(response))
  }

  const agentPath = (id: string) => `/api/agents/${encodeURIComponent(id)}`
  return {
    agents: async (signal?: AbortSignal) =>
      (await json<{ agents: readonly AgentView[] }>('/api/agents', { signal: signal ?? null })).agents,
    timeline: (id: string, signal: AbortSignal) => json<Timeline>(`${agentPath(id)}/timeline`, { signal }),
    runs: (query: RunsQuery, signal: AbortSignal) =>
      json<RunPage>(`/api/runs?${search({ ...query })}`, { signal }),
    record: (id: number, signal: AbortSignal) => json<RunRecord>(`/api/runs/${id}`, { signal }),
    stats: (query: { agent: string | null; hours: number; by: string | null }, signal: AbortSignal) =>
      json<Stats>(`/api/stats?${search(query)}`, { signal }),
    checkHealth: (id: string) => json<AgentView>(`${agentPath(id)}/health`, { method: 'POST' }),
    startChecks: (id: string) => json<CheckRun>(`${agentPath(id)}/checks`, { method: 'POST' }),
    checks: async (id: string, signal: AbortSignal) =>
      (await json<{ checks: readonly CheckRun[] }>(`${agentPath(id)}/checks`, { signal })).checks,
    check: (id: number, signal: AbortSignal) => json<CheckRun>(`/api/checks/${id}`, { signal }),
    /** Runs a task; the answer may be JSON or an event stream, of any status. */
    run: (agentId: string, request: object, signal: AbortSignal) =>
      send(`${agentPath(agentId)}/run`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream, application/json' },
        body: JSON.stringify(request),
        signal,
      }),
  }
}

/** Members of a query without those that say nothing. */
export function search(members: Record<string, string | number | null | undefined>): URLSearchParams {
  const given = Object.entries(members).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  )
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
}

/** What went wrong, in the platform's words where it has some. */
export async function describeFailure(response: Response): Promise<string> {
  const { error } = objectIn(await response.text())
  return textOf(error) || `The platform answered with status ${response.status}.`
}
