/**
 * The JSON of the platform's own API, which the dashboard reads. Times are ISO 8601 in UTC, durations name their unit.
 * An error is `{"error": "<what was expected and what it got>"}`.
 *
 * | method and path | answer |
 * | --- | --- |
 * | GET /api/agents | AgentPage |
 * | POST /api/agents/:id/runs?times= | 202 RunRecord; the task is that of `POST /staging/agents/:id/run`, made so often, one run after another |
 * | POST /api/agents/:id/health | AgentView, after an immediate poll of its `/health` |
 * | GET /api/examples | `{ examples: string[] }`, tasks to try first |
 * | GET /api/runs?FILTER&sort=&after=&before=&limit= | RunPage, after a run, or before one |
 * | GET /api/runs/figures?FILTER | RunFigures |
 * | GET /api/runs/export?FILTER&sort=&format= | all runs that match, as a file: `csv`, or `json`, an array of ExportedRun |
 * | GET /api/runs/:id | RunRecord; of a run in progress, so far |
 * | POST /api/runs/:id/cancel | RunRecord, once it has ended |
 * | POST /api/runs/:id/stop-replica | RunRecord so far, once the process is killed that ran it, unless more than `lost` (a parameter) have been; 409 without `--replicas` |
 * | POST /api/agents/:id/checks | 202 CheckRun |
 * | GET /api/agents/:id/checks | `{ checks: CheckRun[] }`, newest first, without reports |
 * | GET /api/checks | `{ checks: CheckRun[] }`, those of all agents |
 * | POST /api/checks | 201 CheckRun, for a Report made on the command line |
 * | GET /api/checks/:id | CheckRun |
 * | POST /api/checks/:id/stop | CheckRun, once it has stopped |
 *
 * FILTER is `agent=&status=&by=&check=&text=&from=&to=&last=&like=`, all optional. `check` is the number of checks, `by` says who made the runs: `person`, `checks`, or
 * `anyone`, as if absent. `text` is in the task's id, the input or the output. Runs began at `from` or later, and before `to`; or
 * in the `last` `1h`, `24h`, `7d` or `30d`. `like` is the number of a run, whose status and kind of error the others share.
 */
import type { RunRequest } from '@agent-task-service/wire/contract'
import type { Report } from './report.ts'

/** The header with the number of a run's record. */
export const RUN_HEADER = 'Staging-Run'

/** A task runs at most so often at one request. */
export const MAX_TIMES = 20

export type AvailabilityState = 'unknown' | 'available' | 'unavailable'

/** One poll of an agent's `/health`. */
export interface HealthPoll {
  readonly at: string
  readonly ok: boolean
  readonly latencyMs: number
  /** Why it failed; null on success. */
  readonly cause: string | null
}

export interface AgentView {
  readonly id: string
  /** Without credentials. */
  readonly url: string
  /** What `/health` last said; null before it answered. */
  readonly name: string | null
  readonly state: AvailabilityState
  readonly since: string
  readonly failuresInARow: number
  /** Whether the platform has started it as processes of which one can be stopped. */
  readonly hasReplicas: boolean
  /** Numbers of people's runs in progress, the latest last. */
  readonly underway: readonly number[]
  /** Number of its acceptance checks in progress; null if there are none. */
  readonly checking: number | null
  /** Its last finished acceptance checks, whatever is in progress; null if there are none. */
  readonly checked: CheckRun | null
  /** Since the platform started, at most 240 (two hours), the latest last. */
  readonly polls: readonly HealthPoll[]
}

export interface AgentPage {
  readonly agents: readonly AgentView[]
  /** Why the platform keeps what follows in memory only, in sentences; null: its file is in order. */
  readonly loss: string | null
}

/**
 * `underway` until a run ends; then the agent's own status; or `violation` if its reply violates the contract or is missing;
 * `unreachable` if nothing accepted the connection; `refused`, by the agent for infrastructure reasons or by the platform;
 * `cancelled` if the caller hung up, somebody cancelled it on the dashboard, or the platform stopped.
 */
export const RUN_STATUSES = [
  'underway',
  'success',
  'error',
  'timeout',
  'violation',
  'unreachable',
  'refused',
  'cancelled',
] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** Orders of runs; those by a figure begin with the highest. */
export const RUN_SORTS = ['newest', 'oldest', 'slowest', 'tokens', 'steps', 'cost'] as const
export type RunSort = (typeof RUN_SORTS)[number]

export const RUN_SPANS = ['1h', '24h', '7d', '30d'] as const

export interface RunSummary {
  /** Row number in the database, ascending with time. */
  readonly id: number
  readonly agentId: string
  readonly taskId: string
  readonly at: string
  readonly status: RunStatus
  /** HTTP status of the staging route's reply; 499 if it was cancelled, null until it ends. */
  readonly httpStatus: number | null
  /** HTTP status of the agent's own reply; null if it sent none. */
  readonly agentStatus: number | null
  /** As reported by the agent; null if it does not report it. */
  readonly durationSec: number | null
  /** As seen from outside; null until it ends, and if the platform was not there to see the end. */
  readonly wallMs: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** As reported by the agent; in progress, those that have begun. */
  readonly steps: number | null
  /** US dollars, from the agent's events; null if it does not report it, or does not know a price. */
  readonly costUsd: number | null
  /** Whether the cost includes calls whose usage the provider did not report. */
  readonly costEstimated: boolean
  /** The start of each text, at most 200 characters. */
  readonly input: string
  readonly output: string
  /** Why it is no success, likewise: the first violation, or else its error; null without. */
  readonly cause: string | null
  readonly violations: number
  /** Whether acceptance checks made it. */
  readonly byChecks: boolean
  /** Number of those that the dashboard ran; null: none, or others. */
  readonly check: number | null
  /** Number of the first of the repeats that it is one of; null: the task was to run once. */
  readonly repeatOf: number | null
}

/**
 * The event of the platform's own between those of a replica that was lost under a run and those of the one that got the same
 * request then. Its data is `{ at, replica, next, next_at }`: the numbers of both, and when one was lost and the other was asked, in
 * seconds since the run began. The `at` of a replica's events counts from when it was asked.
 */
export const REPLICA_LOST = 'replica_lost'

/** An event of the agent's stream, or `replica_lost`; consecutive pieces of text are joined. */
export interface RecordedEvent {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface RunRecord extends RunSummary {
  /** The request's body without secrets; if it is not a JSON object, its text is under `body`. */
  readonly request: Partial<RunRequest> & Record<string, unknown>
  /** Of the agent's reply, by names in lower case, without secrets; empty if it sent none, or they were not recorded. */
  readonly headers: Readonly<Record<string, string>>
  /** The reply as text, without secrets: the agent's body, or the platform's if the agent sent none. */
  readonly reply: string
  /** How the reply violates the contract, one sentence each. */
  readonly broken: readonly string[]
  /** Without secrets, and the last one without the reply. Empty if the agent did not stream. */
  readonly events: readonly RecordedEvent[]
  /** What its models read, events `model_input`; empty if the agent does not tell, and once the platform has stopped. */
  readonly modelInputs: readonly RecordedEvent[]
  /** Lines the agent logged during the run, without secrets; null if its log is unknown or not read yet. */
  readonly log: string | null
  /** Number of the run to compare it with: the latest one before it and its repeats, by a person, of the same task; null if there is none. */
  readonly before: number | null
  /** The repeats that have begun, itself included, in their order; empty if the task was to run once. */
  readonly repeats: readonly RunSummary[]
  /** How many more will begin. */
  readonly repeatsLeft: number
}

export interface RunPage {
  readonly runs: readonly RunSummary[]
  /** `after` of the next page: the last run of this one; null on the last page. */
  readonly next: number | null
  /** `before` of the previous page: the first run of this one; null on the first page. */
  readonly previous: number | null
}

/** Figures of some runs. Percentiles are by nearest rank, of the wall times of runs that the agent answered, late and wrongly too. */
interface Figures {
  readonly runs: number
  /** How many runs have each status. */
  readonly statuses: Readonly<Partial<Record<RunStatus, number>>>
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  /** In and out, of the runs that report them. */
  readonly tokens: number
  /** US dollars, of the runs that report it; null if none does. */
  readonly costUsd: number | null
}

/** Figures of the runs that began within a bucket of time. */
export interface FiguresBucket extends Figures {
  /** Its beginning. */
  readonly at: string
}

/** Runs that failed alike: same status, and the same message but for quoted values and words with a digit. */
export interface ErrorKind {
  readonly status: RunStatus
  /** Of the latest of them. */
  readonly message: string
  readonly count: number
  /** The latest one's number. */
  readonly latest: number
}

export interface RunFigures extends Figures {
  /** Whether the cost includes an estimate. */
  readonly costEstimated: boolean
  readonly bucketMs: number
  /** At most 61, without gaps, over the range asked for, or else from the first run to the last. */
  readonly buckets: readonly FiguresBucket[]
  /** The most frequent first, at most 8. */
  readonly errors: readonly ErrorKind[]
}

/** A run as it is exported. In CSV the columns are its members; `config` is JSON, and `broken` has a line for each sentence. */
export interface ExportedRun extends Omit<RunSummary, 'cause' | 'violations' | 'check' | 'repeatOf'> {
  /** Whole, as input and output are. */
  readonly error: string
  readonly broken: readonly string[]
  readonly config: unknown
}

/** What acceptance checks found: how many assertions passed, of how many, and the likeliest cause. */
export interface Found {
  /** Passed. */
  readonly hold: number
  readonly of: number
  readonly cause?: string | undefined
}

export interface CheckRun {
  readonly id: number
  /** The address of an agent that the platform does not know. */
  readonly agentId: string
  /** Whether they were run on the command line. */
  readonly onCommandLine?: true
  readonly startedAt: string
  readonly finishedAt: string | null
  /** `underway` until it ends; `incomplete` when a mandatory check was not run; `broken` when the checks themselves failed. */
  readonly state: 'underway' | 'passed' | 'failed' | 'incomplete' | 'broken'
  /** Why the checks are broken, or did not finish. */
  readonly cause?: string
  /** The report in short; absent without one. */
  readonly found?: Found
  /** Number of the agent's last finished checks before these; absent in lists. */
  readonly before?: number | null
  /** The report, finished or so far; absent in lists. */
  readonly report?: Report
}
