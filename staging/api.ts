/**
 * The JSON of the platform's own API, which the dashboard reads. Times are ISO 8601 in UTC, durations say their unit.
 * Every path takes `Authorization: Bearer <staging token>`; an error is `{"error": "<what was expected and what came>"}`.
 *
 * | method and path | answer |
 * | --- | --- |
 * | GET /api/agents | `{ agents: AgentView[] }` |
 * | GET /api/agents/:id/timeline | Timeline |
 * | GET /api/runs?agent=&status=&violations=true&text=&before=&limit= | RunPage |
 * | GET /api/runs/:id | RunRecord |
 * | GET /api/stats?agent=&hours= | Stats |
 * | POST /api/agents/:id/checks | 202 CheckRun |
 * | GET /api/agents/:id/checks | `{ checks: CheckRun[] }`, newest first, without reports |
 * | GET /api/checks/:id | CheckRun |
 *
 * A task is run by the staging route itself, `POST /staging/agents/:id/run`.
 */
import type { RunRequest } from '../src/http/contract.ts'
import type { Report } from './report.ts'

export type AvailabilityState = 'unknown' | 'available' | 'unavailable'

/** One poll of an agent's `/health`. */
export interface HealthCheck {
  readonly at: string
  readonly ok: boolean
  readonly latencyMs: number
  /** Why it failed; null when it did not. */
  readonly cause: string | null
}

export interface StateChange {
  readonly at: string
  readonly state: AvailabilityState
  readonly cause: string
}

export interface AgentView {
  readonly id: string
  /** Without credentials. */
  readonly url: string
  /** What `/health` last said; null before it answered. */
  readonly name: string | null
  readonly state: AvailabilityState
  readonly since: string | null
  readonly failuresInARow: number
  readonly lastCheck: HealthCheck | null
}

/** The latest checks, oldest first (240 at most, two hours), and the changes of state, oldest first (1,000 at most). */
export interface Timeline {
  readonly checks: readonly HealthCheck[]
  readonly changes: readonly StateChange[]
}

/** How the staging route answered: the agent's own status, or `infrastructure` for an answer of 4xx or 5xx. */
export type RunStatus = 'success' | 'error' | 'timeout' | 'infrastructure'

export interface RunSummary {
  /** Row number in the database, ascending with time. */
  readonly id: number
  readonly agentId: string
  readonly taskId: string
  readonly at: string
  readonly status: RunStatus
  /** HTTP code that the staging route answered with; 499 when the caller left. */
  readonly httpStatus: number
  /** As the agent reports it; null where it does not. */
  readonly durationSec: number | null
  /** As seen from outside. */
  readonly wallMs: number
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  readonly steps: number | null
  /** Beginnings of the texts, at most 200 characters. */
  readonly input: string
  readonly output: string
  readonly violations: number
}

export interface RunRecord extends RunSummary {
  /** The request's body without secrets; one that is no JSON object stands as text under `body`. */
  readonly request: Partial<RunRequest> & Record<string, unknown>
  /** What came back, without secrets, as text: the agent's body, or the platform's where the agent gave none. */
  readonly reply: string
  /** What of the reply breaks the contract, one sentence each. */
  readonly broken: readonly string[]
}

export interface RunPage {
  readonly runs: readonly RunSummary[]
  /** `before` of the next page; null on the last. */
  readonly next: number | null
}

/**
 * Figures of the runs of one span of time. Percentiles by nearest rank over the wall time of runs that were answered
 * with 200, 502 or 504: those that the platform or the agent refused, and that their caller left, say nothing of it.
 */
export interface Figures {
  readonly runs: number
  readonly successShare: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly inputTokens: number
  readonly outputTokens: number
  readonly steps: number
}

export interface Stats extends Figures {
  /** 24 equal spans from the oldest run to the newest, each with its start; none without runs. */
  readonly spans: readonly (Figures & { readonly from: string })[]
}

export interface CheckRun {
  readonly id: number
  readonly agentId: string
  readonly startedAt: string
  readonly finishedAt: string | null
  /** `underway` until it ends; `incomplete` when a mandatory check could not run; `broken` when the checks themselves failed. */
  readonly state: 'underway' | 'passed' | 'failed' | 'incomplete' | 'broken'
  /** Why the checks are broken. */
  readonly cause?: string
  /** Present while under way (what is done so far) and afterwards; absent in lists. */
  readonly report?: Report
}
