/** What the checks examine: the agent, and whatever else is known about it. */
import type { LogSource } from '../agents/log-sources.ts'
import type { AgentProcess, StartedAgent } from '../agents/start-agent.ts'
import { HEALTH_TIMEOUT_MS, RUN_P95_MS, RUN_TIMEOUT_MS, START_MS } from '../limits.ts'
import type { Group, Report } from '../report.ts'
import type { TaskFile } from '../tasks/task.ts'
import type { CheckedRun } from './session/replies.ts'

export interface CheckOptions {
  /** The agent's address, without a path. */
  readonly url: string
  /** The agent's own bearer token. */
  readonly token?: string | undefined
  /** What `/health` must say, as `agent-7`. */
  readonly agentId?: string | undefined
  /** Tasks that this agent can do; absent: those that ship with the rehearsal. */
  readonly tasks?: TaskFile | undefined
  /** The agent's log, at least from now on; absent: the log of `start`, if any. */
  readonly log?: LogSource | undefined
  /** The agent's process, if the caller started it. */
  readonly start?: StartedAgent | undefined
  /** Why the agent could not be started; nothing else is checked then. */
  readonly notStarted?: string | undefined
  /** Starts the agent once more, after the first one has exited, with a model that never answers. */
  readonly startStalled?: (() => Promise<Pick<AgentProcess, 'end'>>) | undefined
  /** Makes many more runs of an agent that the caller started, to see what they leave behind. */
  readonly long?: boolean | undefined
  /** Name of the agent's container image. */
  readonly image?: string | undefined
  /** A platform that knows the agent. */
  readonly platform?: PlatformAccess | undefined
  /** Whose ways of letting the checks see more the report names; absent: those of the command. */
  readonly askedBy?: 'dashboard' | undefined
  /** Groups to run; absent: all. */
  readonly only?: readonly GroupId[] | undefined
  /** Concurrent tasks of the task file. */
  readonly concurrency?: number | undefined
  readonly limits?: Partial<CheckLimits> | undefined
  /**
   * For all checks together, in milliseconds; the rest is reported as not run. Absent: twice what they take at the pace of
   * this agent's runs, and `leastTotalMs` at least.
   */
  readonly totalMs?: number | undefined
  /** Receives the report so far on every change. */
  readonly onProgress?: ((report: Report) => void) | undefined
  /** Records a run that went straight to the agent; returns the number of its record. */
  readonly recordRun?: ((run: CheckedRun) => number) | undefined
  /** Stops the checks; the rest is reported as not run. */
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

export type CheckLimits = Readonly<typeof defaultLimits>

/** Times in milliseconds, and sizes of samples: the contract's values, where it defines them. */
export const defaultLimits = {
  runTimeoutMs: RUN_TIMEOUT_MS,
  /** For refusing an invalid request, which takes no work. */
  refusalMs: 10_000,
  /** For 95% of the runs. */
  p95Ms: RUN_P95_MS,
  /** Runs that a percentile needs. */
  sampleSize: 20,
  healthTimeoutMs: HEALTH_TIMEOUT_MS,
  healthPolls: 20,
  startMs: START_MS,
  /** How long the log must be quiet to be considered complete. */
  logSettleMs: 1_000,
  /** How long to wait for more lines after that: some loggers write in batches. */
  logLateMs: 4_000,
  /** Concurrent runs in checks of concurrency. */
  burst: 5,
  /** How often they run: a fault that hits one concurrent run in five is missed once in 100 (0.8^25). */
  bursts: 5,
  imageBytes: 500_000_000,
  /** For all checks together, however quick the agent is. */
  leastTotalMs: 5 * 60_000,
}
