/** The JSON of what the acceptance checks found: one group for each of the curator's checks, and the limits. */
import { z } from 'zod'

const assertion = z.object({
  /** Stable, `group.name`: `health.shape`. */
  id: z.string(),
  /** What must hold, as a sentence. */
  title: z.string(),
  verdict: z.enum(['pass', 'fail', 'not_run']),
  /** Advisory ones do not decide. */
  mandatory: z.boolean(),
  /** If it failed, what was expected and what it got; if it did not run, why. */
  detail: z.string().nullable(),
  /** If it failed, the number of the run behind it in the platform's records; absent: none, or not known. */
  run: z.int().optional(),
  /** Likewise, the run that it shows something of: a config that is kept, or an id that is mixed up. */
  source: z.int().optional(),
  /** The numbers of the runs that it made, in their order, at most 100; absent: none, or not known. */
  runs: z.array(z.int()).readonly().optional(),
  /** Why it matters, in the contract's own words. */
  why: z.string(),
  /** A command that reproduces it. */
  how: z.string(),
  /** Seconds that its check took. */
  seconds: z.number().optional(),
})

/** What is told of the checks that were asked for: after the first run, and when the runs since then tell otherwise. */
const estimate = z.object({
  /** Seconds of a run so far. */
  runSeconds: z.number(),
  /** Tokens of the first run, in and out; absent: it told none. */
  runTokens: z.number().optional(),
  /** Runs of an agent that does each task in the same way, about: others take up to twice as many. */
  runs: z.number().optional(),
  /** Seconds of all checks, about. */
  seconds: z.number(),
  /** Seconds that they are given; absent: as many as they need at the pace of this agent. */
  limitSeconds: z.number().optional(),
})

const group = z.object({
  id: z.enum(['health', 'run', 'result', 'input', 'metrics', 'logs', 'limits', 'end']),
  title: z.string(),
  state: z.enum(['waiting', 'underway', 'done']),
  /** How many assertions it will have, unless the checks finish early; absent in reports of earlier versions. */
  expected: z.int().nonnegative().optional(),
  /** Absent unless all checks will take much longer than was told before. */
  estimate: estimate.optional(),
  assertions: z.array(assertion).readonly(),
})

/** Means over the runs that the checks made and that succeeded with complete metrics. */
const means = z.object({
  runs: z.number(),
  /** Of a run, as its caller waits. */
  seconds: z.number(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  steps: z.number(),
})

const verdict = z.enum(['passed', 'failed', 'incomplete'])

const report = z.object({
  url: z.url({ protocol: /^https?$/ }),
  agentId: z.string().nullable(),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
  /** `incomplete`: nothing mandatory failed, but something mandatory was not run. Null until the end. */
  verdict: verdict.nullable(),
  /** Requests sent to the agent so far, valid or not, not counting `/health`. */
  requests: z.int().nonnegative(),
  /** Absent before the first run, and if that did not succeed. */
  estimate: estimate.optional(),
  /** Seconds of all checks, about: those so far, and the others at the pace of the runs so far. Absent before a run, and at the end. */
  expectedSeconds: z.number().optional(),
  groups: z.array(group).readonly(),
  /** The likeliest single cause of the mandatory failures, in a line. */
  cause: z.string().optional(),
  /** The assertion that shows the cause. */
  causeId: z.string().optional(),
  /** What the given options leave unchecked, each with the option that would allow it. */
  unseen: z.array(z.string()).readonly().optional(),
  /** Absent until the end, and if no run succeeded. */
  means: means.optional(),
})

/** A finished report that was made elsewhere: the numbers of its runs, which are not this platform's, are left out. */
export const postedReport = report.extend({
  finishedAt: z.iso.datetime(),
  verdict,
  groups: z.array(
    group.extend({ assertions: z.array(assertion.omit({ run: true, source: true, runs: true })) }),
  ),
})

export type Assertion = Readonly<z.output<typeof assertion>>
export type Verdict = Assertion['verdict']
export type Group = Readonly<z.output<typeof group>>
export type Estimate = Readonly<z.output<typeof estimate>>
export type Means = Readonly<z.output<typeof means>>
export type Report = Readonly<z.output<typeof report>>
