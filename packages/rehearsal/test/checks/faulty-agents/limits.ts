import type { CheckLimits } from '@agent-task-service/rehearsal/checks'

/** Small samples, and times that no agent in this process exceeds, however busy the machine. */
export const ROOMY: Partial<CheckLimits> = {
  runTimeoutMs: 60_000,
  p95Ms: 45_000,
  sampleSize: 6,
  healthTimeoutMs: 45_000,
  healthPolls: 4,
  logSettleMs: 20,
  logLateMs: 0,
  burst: 4,
  refusalMs: 60_000,
}

/** The interface's limits, shortened: for agents that keep their callers waiting. */
export const SHORT: Partial<CheckLimits> = {
  ...ROOMY,
  runTimeoutMs: 1_500,
  refusalMs: 800,
  p95Ms: 700,
  healthTimeoutMs: 1_000,
}

/** Beyond every shortened limit. */
export const NEVER_MS = 3_000
