import { describeValue, type Metrics, metrics } from '../src/wire/contract.ts'
import { judge } from '../staging/tasks/judge.ts'
import type { Task } from '../staging/tasks/task.ts'
import type { Scorer } from './scorer.ts'
import type { Variant } from './variant.ts'

export interface Cost {
  /** US dollars */
  readonly usd: number
  readonly isEstimate: boolean
}

/** One task, run once by one variant. */
export interface Trial {
  /** Index of the task. */
  readonly task: number
  /** Index of the variant. */
  readonly variant: number
  /** `not_served`: the offline model replied that the task needs a language model. */
  readonly verdict: 'pass' | 'fail' | 'not_served'
  /** What is wrong with the answer, one sentence each. */
  readonly problems: readonly string[]
  readonly output: string
  readonly wallMs: number
  /** Null if the reply has none. */
  readonly metrics: Metrics | null
  /** Null if unknown. */
  readonly cost: Cost | null
}

export interface EvaluateOptions {
  readonly tasks: readonly Task[]
  readonly variants: readonly Variant[]
  /** How often each variant runs each task. */
  readonly repeat: number
  /** Concurrent runs. */
  readonly concurrency: number
  /** Judges answers that the tasks' own expectations find right. */
  readonly score?: Scorer | undefined
  readonly onTrial?: (trial: Trial) => void
}

/** How the errors of the embedded offline model begin. */
const NOT_SERVED = /^the offline model (can only|needs)\b/

/**
 * Runs every task with every variant. Variants take turns, so that a slowdown of the machine or a provider affects all of
 * them.
 *
 * @returns the trials by task and variant
 */
export async function evaluate(options: EvaluateOptions): Promise<Trial[]> {
  const { tasks, variants, repeat, concurrency, score, onTrial } = options
  const trials: Trial[] = []
  const pairs = [...tasks.keys()].flatMap(task => [...variants.keys()].map(variant => ({ task, variant })))
  const jobs = Array.from({ length: repeat }, () => pairs)
    .flat()
    .values()
  const work = async () => {
    for (const { task, variant } of jobs) {
      const trial = { task, variant, ...(await tryOnce(tasks[task]!, variants[variant]!, score)) }
      trials.push(trial)
      onTrial?.(trial)
    }
  }
  // The workers share one iterator: each takes the next job when it is free.
  await Promise.all(Array.from({ length: concurrency }, work))
  return trials.sort((a, b) => a.task - b.task || a.variant - b.variant)
}

async function tryOnce(
  task: Task,
  variant: Variant,
  score: Scorer = () => [],
): Promise<Omit<Trial, 'task' | 'variant'>> {
  const { input, config, expect } = task
  const from = new Date()
  const { body, broken, wallMs, cost } = await variant.run({
    task_id: crypto.randomUUID(),
    input,
    ...(config && { config }),
  })
  const found = broken.length > 0 ? broken : judge(expect, body, { from, to: new Date() })
  const problems = found.length > 0 ? found : await score({ task, reply: body })
  const isServed = !(body.status === 'error' && typeof body.error === 'string' && NOT_SERVED.test(body.error))
  return {
    verdict: problems.length === 0 ? 'pass' : isServed ? 'fail' : 'not_served',
    problems,
    output: typeof body.output === 'string' ? body.output : describeValue(body.output),
    wallMs,
    metrics: metrics.safeParse(body.metrics).data ?? null,
    cost,
  }
}
