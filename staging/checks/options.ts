/** What the checks are told: the agent, and what else of it they may look at. */
import type { TaskFile } from '../tasks/task.ts'
import type { Group, Report } from './report.ts'

export interface CheckOptions {
  /** The agent's address, without a path. */
  readonly url: string
  /** The agent's own bearer token. */
  readonly token?: string | undefined
  /** What `/health` must say, as `agent-7`. */
  readonly agentId?: string | undefined
  /** Tasks that this agent can do; absent: those that ship with the rehearsal. */
  readonly tasks?: TaskFile | undefined
  /** The agent's log, from now on at least; absent: that of `start`, if there is one. */
  readonly log?: LogSource | undefined
  /** The agent's process, where the caller started it. */
  readonly start?: StartedAgent | undefined
  /** Name of the agent's container image. */
  readonly image?: string | undefined
  /** A platform that knows the agent. */
  readonly platform?: PlatformAccess | undefined
  /** Groups to run; absent: all. */
  readonly only?: readonly GroupId[] | undefined
  /** Tasks of the task file at a time. */
  readonly concurrency?: number | undefined
  readonly limits?: Partial<CheckLimits> | undefined
  /** Hears the report as it stands, at every change. */
  readonly onProgress?: ((report: Report) => void) | undefined
  /** Ends the checks: what is left is reported as not run. */
  readonly signal?: AbortSignal | undefined
}

export type GroupId = Group['id']

export interface LogSource {
  /** For reports: `the file agent.log`. */
  readonly name: string
  /** All there is so far. Rejects with an error that says why it cannot be read. */
  read(): Promise<string>
}

/** An agent's process with fake secrets in its environment. */
export interface StartedAgent {
  /** From its start to the first good `/health`, or where there is none to the first of any code, in milliseconds. */
  readonly readyMs: number
  readonly log: LogSource
  /** Made-up values and the real ones that its environment holds, by the names of their variables. */
  readonly secrets: ReadonlyMap<string, string>
  /** Ends it by SIGTERM; absent: it is somebody else's to end. Resolves with how it ended and the time it took. */
  end?(): Promise<{ readonly how: string; readonly clean: boolean; readonly ms: number }>
}

export interface PlatformAccess {
  readonly url: string
  /** The staging token. */
  readonly token: string
  /** Name of the agent there. */
  readonly agentId: string
}

/** Times in milliseconds, and sizes of samples. */
export interface CheckLimits {
  /** Longest answer of `/run`. */
  readonly runTimeoutMs: number
  /** What 95% of the runs must meet. */
  readonly p95Ms: number
  /** Runs that a percentile needs. */
  readonly sampleSize: number
  readonly healthTimeoutMs: number
  /** Advisory. */
  readonly healthGoodMs: number
  readonly healthPolls: number
  readonly startMs: number
  /** How long the log may take to hold what was done. */
  readonly logSettleMs: number
  /** Runs at once where concurrency itself is looked at. */
  readonly burst: number
  readonly imageBytes: number
  /** For all checks together; what is left then is reported as not run. */
  readonly totalMs: number
}

/** As the interface has them, where it speaks of them. */
export const defaultLimits: CheckLimits = {
  runTimeoutMs: 120_000,
  p95Ms: 30_000,
  sampleSize: 20,
  healthTimeoutMs: 5_000,
  healthGoodMs: 1_000,
  healthPolls: 20,
  startMs: 30_000,
  logSettleMs: 1_000,
  burst: 5,
  imageBytes: 500_000_000,
  totalMs: 30 * 60_000,
}
