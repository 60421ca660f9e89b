import { type Call, type Json, type Outcome, pause, SecondAgent } from '../second-agent/agent.ts'
import type { Task } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'

type Metrics = ReturnType<SecondAgent['metrics']>

/** Replaces metrics; `undefined` omits one. */
const measuring = (change: (metrics: Metrics) => Json) =>
  class extends SecondAgent {
    override metrics(task: Task, outcome: Outcome, call: Call): Metrics {
      const metrics = super.metrics(task, outcome, call)
      return { ...metrics, ...change(metrics) }
    }
  }

/** Replaces the whole metrics. */
const reporting = (metrics: unknown) =>
  class extends SecondAgent {
    override response(task: Task, outcome: Outcome, measured: Json): Json {
      return { ...super.response(task, outcome, measured), metrics }
    }
  }

export const metricsFaults: readonly Fault[] = [
  {
    name: 'metrics-missing',
    does: 'omits metrics',
    Agent: reporting(undefined),
    caughtBy: ['metrics.filled', 'input.error_shape'],
  },
  {
    name: 'metrics-empty',
    does: 'has empty metrics even on success',
    Agent: reporting({}),
    caughtBy: ['metrics.filled'],
  },
  {
    name: 'metrics-strings',
    does: 'writes tokens as strings',
    Agent: measuring(({ input_tokens }) => ({ input_tokens: String(input_tokens) })),
    caughtBy: ['metrics.filled', 'input.error_shape'],
  },
  {
    name: 'duration-in-milliseconds',
    does: 'measures the duration in milliseconds',
    Agent: measuring(({ duration_sec }) => ({ duration_sec: duration_sec * 1000 })),
    settings: { thinkMs: 20 },
    caughtBy: ['metrics.duration_within'],
  },
  {
    name: 'duration-zero',
    does: 'reports 0 for every duration',
    Agent: measuring(() => ({ duration_sec: 0 })),
    settings: { thinkMs: 250 },
    only: ['metrics'],
    caughtBy: ['metrics.duration_real'],
  },
  {
    name: 'tokens-constant',
    does: 'reports the same number of input tokens for every task',
    Agent: measuring(() => ({ input_tokens: 100 })),
    caughtBy: ['metrics.input_tokens_grow', 'metrics.vary', 'run.system_prompt_counts'],
  },
  {
    name: 'tokens-zero',
    does: 'counts no tokens',
    Agent: measuring(() => ({ input_tokens: 0, output_tokens: 0 })),
    caughtBy: [
      'metrics.input_tokens',
      'metrics.output_tokens',
      'metrics.input_tokens_grow',
      'run.system_prompt_counts',
    ],
  },
  {
    name: 'output-tokens-constant',
    does: 'reports the same number of output tokens for every task',
    Agent: measuring(() => ({ output_tokens: 50 })),
    caughtBy: ['metrics.vary', 'run.max_tokens_caps'],
    says: /expected output_tokens to differ, got 50/,
  },
  {
    name: 'tokens-of-all-runs',
    does: 'adds up the tokens of all its runs',
    Agent: class extends SecondAgent {
      #read = 0
      #written = 0

      override metrics(task: Task, outcome: Outcome, call: Call): Metrics {
        const metrics = super.metrics(task, outcome, call)
        this.#read += metrics.input_tokens
        this.#written += metrics.output_tokens
        return { ...metrics, input_tokens: this.#read, output_tokens: this.#written }
      }
    },
    caughtBy: ['metrics.per_run', 'metrics.no_trend', 'run.max_tokens_caps'],
  },
  {
    name: 'steps-of-runs-at-once',
    does: 'counts the steps of all concurrent runs together',
    Agent: class extends SecondAgent {
      #underWay = 0
      #steps = 0

      override async perform(task: Task): Promise<Outcome> {
        if (this.#underWay === 0) this.#steps = 0
        this.#underWay += 1
        await pause(40)
        const outcome = await super.perform(task)
        this.#steps += outcome.steps
        await pause(40)
        this.#underWay -= 1
        return { ...outcome, steps: this.#steps }
      }
    },
    concurrency: 1,
    caughtBy: ['metrics.at_once'],
    says: /expected about 8 steps for 4 runs at once, got \d+/,
  },
  {
    name: 'steps-one',
    does: 'reports 1 step for every run',
    Agent: measuring(() => ({ steps: 1 })),
    caughtBy: ['metrics.steps_of_tools'],
    says: /expected at least 2 steps/,
  },
  {
    name: 'steps-zero',
    does: 'counts no steps',
    Agent: measuring(() => ({ steps: 0 })),
    caughtBy: ['metrics.steps'],
  },
]
