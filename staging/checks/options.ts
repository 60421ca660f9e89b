/** What the checks are told: the agent, and what else of it they may look at. */
import type { LogSource } from '../agents/log-sources.ts'
import type { AgentProcess, StartedAgent } from '../agents/start-agent.ts'
import { HEALTH_TIMEOUT_MS, RUN_P95_MS, RUN_TIMEOUT_MS, START_MS } from '../limits.ts'
import type { Group, Report } from '../report.ts'
import type { TaskFile } from '../tasks/task.ts'

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
  /** Why the agent could not be started: then there is nothing else to look at. */
  readonly notStarted?: string | undefined
  /** Starts the agent once more, when the first has ended, with a model that never answers. */
  readonly startStalled?: (() => Promise<Pick<AgentProcess, 'end'>>) | undefined
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
  /** Longest answer to what cannot be run, which takes no work. */
  readonly refusalMs: number
  /** What 95% of the runs must meet. */
  readonly p95Ms: number
  /** Runs that a percentile needs. */
  readonly sampleSize: number
  readonly healthTimeoutMs: number
  readonly healthPolls: number
  readonly startMs: number
  /** How long the log must rest to hold what was done. */
  readonly logSettleMs: number
  /** How long after that lines are still waited for: some loggers write in batches. */
  readonly logLateMs: number
  /** Runs at once where concurrency itself is looked at. */
  readonly burst: number
  readonly imageBytes: number
  /** For all checks together; what is left then is reported as not run. */
  readonly totalMs: number
}

/** As the interface has them, where it speaks of them. */
export const defaultLimits: CheckLimits = {
  runTimeoutMs: RUN_TIMEOUT_MS,
  refusalMs: 10_000,
  p95Ms: RUN_P95_MS,
  sampleSize: 20,
  healthTimeoutMs: HEALTH_TIMEOUT_MS,
  healthPolls: 20,
  startMs: START_MS,
  logSettleMs: 1_000,
  logLateMs: 4_000,
  burst: 5,
  imageBytes: 500_000_000,
  totalMs: 5 * 60_000,
}
