import { type Call, type Json, type Outcome, SecondAgent } from '../second-agent/agent.ts'
import type { Task } from '../second-agent/request.ts'
import type { Fault } from './fault.ts'

type Metrics = ReturnType<SecondAgent['metrics']>

/** Replaces what the metrics say; `undefined` leaves one out. */
const measuring = (change: (metrics: Metrics) => Json) =>
  class extends SecondAgent {
    override metrics(task: Task, outcome: Outcome, call: Call): Metrics {
      const metrics = super.metrics(task, outcome, call)
      return { ...metrics, ...change(metrics) }
    }
  }

/** Replaces the metrics as a whole. */
const reporting = (metrics: unknown) =>
  class extends SecondAgent {
    override response(task: Task, outcome: Outcome, measured: Json): Json {
      return { ...super.response(task, outcome, measured), metrics }
    }
  }

export const metricsFaults: readonly Fault[] = [
  {
    name: 'metrics-missing',
    does: 'leaves metrics out',
    Agent: reporting(undefined),
    caughtBy: ['metrics.filled', 'input.error_shape'],
    because: 'those of failed runs are wrong too',
  },
  {
    name: 'metrics-null',
    does: 'says null for metrics',
    Agent: reporting(null),
    caughtBy: ['metrics.filled', 'input.error_shape'],
    because: 'those of failed runs are wrong too',
  },
  {
    name: 'metrics-empty',
    does: 'has empty metrics on success too',
    Agent: reporting({}),
    caughtBy: ['metrics.filled'],
  },
  {
    name: 'metrics-strings',
    does: 'writes tokens as texts',
    Agent: measuring(({ input_tokens }) => ({ input_tokens: String(input_tokens) })),
    caughtBy: ['metrics.filled', 'input.error_shape'],
    because: 'those of failed runs are wrong too',
  },
  {
    name: 'metrics-float-tokens',
    does: 'counts half tokens',
    Agent: measuring(({ output_tokens }) => ({ output_tokens: output_tokens + 0.5 })),
    caughtBy: ['metrics.filled', 'input.error_shape'],
    because: 'those of failed runs are wrong too',
  },
  {
    name: 'metrics-negative-tokens',
    does: 'says -1 for tokens that it does not know',
    Agent: measuring(() => ({ output_tokens: -1 })),
    caughtBy: ['metrics.filled', 'input.error_shape'],
    because: 'those of failed runs are wrong too',
  },
  {
    name: 'metrics-nan',
    does: 'computes NaN, which JSON writes as null',
    Agent: measuring(() => ({ duration_sec: Number.NaN })),
    caughtBy: ['metrics.filled', 'input.error_shape'],
    because: 'those of failed runs are wrong too',
  },
  {
    name: 'metrics-without-steps',
    does: 'leaves the steps out',
    Agent: measuring(() => ({ steps: undefined })),
    caughtBy: ['metrics.filled', 'input.error_shape'],
    because: 'those of failed runs are wrong too',
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
    does: 'says 0 for every duration',
    Agent: measuring(() => ({ duration_sec: 0 })),
    settings: { thinkMs: 250 },
    caughtBy: ['metrics.duration_real'],
  },
  {
    name: 'duration-constant',
    does: 'says 2.5 s for every duration',
    Agent: measuring(() => ({ duration_sec: 2.5 })),
    caughtBy: ['metrics.duration_within'],
  },
  {
    name: 'duration-padded',
    does: 'adds two seconds to every duration',
    Agent: measuring(({ duration_sec }) => ({ duration_sec: duration_sec + 2 })),
    caughtBy: ['metrics.duration_within'],
  },
  {
    name: 'tokens-constant',
    does: 'says the same number of input tokens for every task',
    Agent: measuring(() => ({ input_tokens: 100 })),
    caughtBy: ['metrics.input_tokens_grow', 'metrics.vary'],
    because: 'what is constant does not grow',
  },
  {
    name: 'tokens-zero',
    does: 'counts no tokens',
    Agent: measuring(() => ({ input_tokens: 0, output_tokens: 0 })),
    caughtBy: ['metrics.input_tokens', 'metrics.output_tokens', 'metrics.input_tokens_grow'],
    because: 'none of both are counted, and zero does not grow',
  },
  {
    name: 'output-tokens-constant',
    does: 'says the same number of output tokens for every task',
    Agent: measuring(() => ({ output_tokens: 17 })),
    caughtBy: ['metrics.vary'],
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
    caughtBy: ['metrics.per_run'],
  },
  {
    name: 'steps-zero',
    does: 'counts no steps',
    Agent: measuring(() => ({ steps: 0 })),
    caughtBy: ['metrics.steps'],
  },
]
