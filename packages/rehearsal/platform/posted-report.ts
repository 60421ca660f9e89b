import { z } from 'zod'
import type { Report } from '../report.ts'

const assertion = z.object({
  id: z.string(),
  title: z.string(),
  verdict: z.enum(['pass', 'fail', 'not_run']),
  mandatory: z.boolean(),
  detail: z.string().nullable(),
  why: z.string(),
  how: z.string(),
})

/** A finished report that was made elsewhere: the numbers of its runs, which are not this platform's, are left out. */
export const postedReport: z.ZodType<Report> = z.object({
  url: z.url({ protocol: /^https?$/ }),
  agentId: z.string().nullable(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  verdict: z.enum(['passed', 'failed', 'incomplete']),
  requests: z.int().nonnegative(),
  groups: z.array(
    z.object({
      id: z.enum(['health', 'run', 'result', 'input', 'metrics', 'logs', 'limits', 'end']),
      title: z.string(),
      state: z.enum(['waiting', 'underway', 'done']),
      expected: z.int().nonnegative().optional(),
      assertions: z.array(assertion),
    }),
  ),
  cause: z.string().optional(),
  causeId: z.string().optional(),
  unseen: z.array(z.string()).default([]),
  means: z
    .object({
      runs: z.number(),
      seconds: z.number(),
      inputTokens: z.number(),
      outputTokens: z.number(),
      steps: z.number(),
    })
    .optional(),
})
