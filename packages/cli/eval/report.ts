import { metrics } from '@agent-task-service/wire/contract'
import { z } from 'zod'

/** One task, run once by one variant, and judged. */
const judgedRun = z.object({
  /** The task's name, or its input if it has none. */
  task: z.string(),
  input: z.string(),
  variant: z.string(),
  /** `not_served`: the offline model replied that the task needs a language model. */
  verdict: z.enum(['pass', 'fail', 'not_served']),
  /** What is wrong with the answer, one sentence each. */
  problems: z.array(z.string()),
  output: z.string(),
  /** The caller's waiting time. */
  wallMs: z.number(),
  /** Null if the reply has none. */
  metrics: metrics.nullable(),
  /** In US dollars; null if unknown. */
  cost: z.object({ usd: z.number(), isEstimate: z.boolean() }).nullable(),
})

/** The result of an evaluation, as written by `--json`. */
export const report = z.object({
  /** ISO 8601, UTC */
  startedAt: z.string(),
  /** How often each variant ran each task. */
  repeat: z.number(),
  runs: z.array(judgedRun),
})

export type JudgedRun = z.infer<typeof judgedRun>
export type Report = z.infer<typeof report>
