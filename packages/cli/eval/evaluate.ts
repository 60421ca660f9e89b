import { judge, type SampleTask } from '@agent-task-service/rehearsal/tasks'
import { describeValue, metrics } from '@agent-task-service/wire/contract'
import type { EvaluationOptions } from './options.ts'
import type { JudgedRun } from './report.ts'
import { problemsBy, type Scorer } from './scorer.ts'
import type { Variant } from './variant.ts'

export interface EvaluateOptions extends Pick<EvaluationOptions, 'repeat' | 'concurrency'> {
  readonly tasks: readonly SampleTask[]
  readonly variants: readonly Variant[]
  /** Judges answers that the tasks' own expectations find right. */
  readonly scorer?: Scorer | undefined
  readonly onRun?: (run: JudgedRun) => void
}

/** How the errors of the embedded offline model begin. */
const NOT_SERVED = /^the offline model (can only|needs)\b/

/**
 * Runs every task with every variant. Variants take turns, so that a slowdown of the machine or a provider affects all of
 * them.
 *
 * @returns the runs in the order in which they began
 */
export async function runVariants(options: EvaluateOptions): Promise<JudgedRun[]> {
  const { tasks, variants, repeat, concurrency, scorer, onRun } = options
  const pairs = tasks.flatMap(task => variants.map(variant => ({ task, variant })))
  const jobs = Array.from({ length: repeat }, () => pairs)
    .flat()
    .entries()
  const runs: JudgedRun[] = []
  const work = async () => {
    for (const [index, { task, variant }] of jobs) {
      const run = await runOnce(task, variant, scorer)
      runs[index] = run
      onRun?.(run)
    }
  }
  // The workers share one iterator: each takes the next job when it is free.
  await Promise.all(Array.from({ length: concurrency }, work))
  return runs
}

async function runOnce(task: SampleTask, variant: Variant, scorer: Scorer | undefined): Promise<JudgedRun> {
  const { input, config, expect } = task
  const inputs = { input, ...(config && { config }) }
  const from = new Date()
  const { body, broken, wallMs, cost } = await variant.run({ task_id: crypto.randomUUID(), ...inputs })
  const problems = broken.length > 0 ? broken : judge(expect, body, { from, to: new Date() })
  if (problems.length === 0 && scorer)
    problems.push(...(await problemsBy(scorer, { inputs, outputs: body, referenceOutputs: expect })))
  const isServed = !(body.status === 'error' && typeof body.error === 'string' && NOT_SERVED.test(body.error))
  return {
    task: task.name ?? input,
    input,
    variant: variant.name,
    verdict: problems.length === 0 ? 'pass' : isServed ? 'fail' : 'not_served',
    problems,
    output: typeof body.output === 'string' ? body.output : describeValue(body.output),
    wallMs,
    metrics: metrics.safeParse(body.metrics).data ?? null,
    cost,
  }
}
