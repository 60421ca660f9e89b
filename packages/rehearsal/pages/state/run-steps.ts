import type { StreamEventType } from '@agent-task-service/wire/contract'
import type { RecordedEvent } from '../../api.ts'
import { isObject, type JsonObject as Members, textOf } from '../../json.ts'

/** A model call or a tool call, as far as is known. */
export interface RunStep {
  readonly step: number
  readonly kind: 'model' | 'tool'
  readonly name: string
  readonly state: 'underway' | 'done' | 'failed'
  /** Whether an earlier run of the task had made the call, so that it was not made again. */
  readonly isReplayed: boolean
  /** Above 1 when a model call was retried. */
  readonly attempt: number
  /** The model's text or the tool's result. */
  readonly text: string
  /** Names of the tools that the model called. */
  readonly toolCalls: readonly string[]
  /** Arguments of a tool call, as JSON. */
  readonly arguments: string
  /** Pages cited in a tool's result; `http:` or `https:` only. */
  readonly sources: readonly { readonly number: string; readonly title: string; readonly url: string }[]
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** US dollars; null if unknown, and for tools. */
  readonly costUsd: number | null
  /** Seconds since the request arrived. */
  readonly startedAt: number
  readonly finishedAt: number | null
}

export interface RunSteps {
  readonly steps: readonly RunStep[]
  /** One sentence per approaching limit or failed attempt. */
  readonly warnings: readonly string[]
}

/** A run's steps, from its events. */
export function stepsIn(events: readonly RecordedEvent[]): RunSteps {
  return events.reduce(advance, { steps: [], warnings: [] })
}

/** How long a step took; null if it has no end. */
export function tookMs({ startedAt, finishedAt }: RunStep): number | null {
  return finishedAt === null ? null : Math.max(0, finishedAt - startedAt) * 1000
}

/** Applies one event. Ignores unknown types and members, since the agent may be newer than this page. */
function advance(run: RunSteps, { type, data }: RecordedEvent): RunSteps {
  const change = changes[type as StreamEventType]
  return change ? { ...run, ...change(data, run) } : run
}

/** The model call whose text may become the answer: the latest, unless it called tools. */
export function answeringStep({ steps }: RunSteps): RunStep | undefined {
  const latest = steps.findLast(({ kind }) => kind === 'model')
  return latest?.toolCalls.length === 0 ? latest : undefined
}

const changes: Partial<Record<StreamEventType, (data: Members, run: RunSteps) => Partial<RunSteps>>> = {
  model_started: (data, run) => {
    const attempt = Number(data.attempt) || 1
    return { steps: put(run, begin(data, 'model', data.model, { attempt })) }
  },
  text: (data, run) => ({
    steps: run.steps.map(step =>
      step.step === data.step ? { ...step, text: step.text + shown(data.text) } : step,
    ),
  }),
  model_finished: (data, run) => ({
    steps: patch(run, data, {
      state: 'done',
      isReplayed: data.replayed === true,
      inputTokens: known(data.input_tokens),
      outputTokens: known(data.output_tokens),
      costUsd: known(data.cost_usd),
      toolCalls: Array.isArray(data.tool_calls) ? data.tool_calls.map(shown) : [],
    }),
  }),
  model_failed: (data, run) => ({
    warnings: [
      ...run.warnings,
      `Step ${shown(data.step)}, try ${shown(data.attempt)}: ${shown(data.model)} failed`,
    ],
    // Text of a failed attempt does not count.
    steps: patch(run, data, { state: 'failed', text: '' }),
  }),
  tool_started: (data, run) => ({
    steps: put(run, begin(data, 'tool', data.tool, { arguments: shown(data.arguments) })),
  }),
  tool_finished: (data, run) => ({
    steps: patch(run, data, {
      state: data.failed === true ? 'failed' : 'done',
      isReplayed: data.replayed === true,
      text: shown(data.result),
      sources: sourcesIn(data.sources),
    }),
  }),
  limit_near: ({ limit, used, of }, run) => ({
    warnings: [...run.warnings, `Close to ${shown(limit)}: ${shown(used)} of ${shown(of)} used`],
  }),
}

function begin(data: Members, kind: RunStep['kind'], name: unknown, more: Partial<RunStep>): RunStep {
  return {
    step: Number(data.step),
    kind,
    name: shown(name),
    ...{
      state: 'underway',
      isReplayed: false,
      attempt: 1,
      text: '',
      toolCalls: [],
      arguments: '',
      sources: [],
    },
    ...{ inputTokens: null, outputTokens: null, costUsd: null },
    ...{ startedAt: known(data.at) ?? 0, finishedAt: null },
    ...more,
  }
}

/** A retried step replaces its earlier attempt and keeps its start time; one without a number is left out. */
function put(run: RunSteps, step: RunStep): readonly RunStep[] {
  if (!Number.isFinite(step.step)) return run.steps
  const index = run.steps.findIndex(({ step: number }) => number === step.step)
  if (index < 0) return [...run.steps, step].sort((a, b) => a.step - b.step)
  return run.steps.with(index, { ...step, startedAt: run.steps[index]!.startedAt })
}

/** Ends a step. */
function patch(run: RunSteps, data: Members, change: Partial<RunStep>): readonly RunStep[] {
  return run.steps.map(step =>
    step.step === data.step ? { ...step, finishedAt: known(data.at), ...change } : step,
  )
}

/** Keeps only sources with a web address. */
function sourcesIn(value: unknown): RunStep['sources'] {
  return (Array.isArray(value) ? value : []).filter(isObject).flatMap(({ number, title, url }) => {
    const href = webAddress(textOf(url))
    return href === undefined ? [] : [{ number: shown(number), title: textOf(title) || href, url: href }]
  })
}

/** Normalises a web address; undefined for any other, such as `javascript:`. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** A plausible figure, or null. */
function known(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : null
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
