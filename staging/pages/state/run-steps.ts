import type { ModelPrompt, StreamEventType } from '../../../src/wire/run-events.ts'
import type { RecordedEvent } from '../../api.ts'
import { inDollars } from '../../figures.ts'
import { isObject, type JsonObject as Members, textOf } from '../../json.ts'
import { duration } from './format.ts'

/** A model call or a tool call, as far as is known. */
export interface RunStep {
  readonly step: number
  readonly kind: 'model' | 'tool'
  readonly name: string
  readonly state: 'underway' | 'done' | 'failed'
  /** Above 1 when a model call was retried. */
  readonly attempt: number
  /** The model's text or the tool's result. */
  readonly text: string
  /** Names of the tools that the model called. */
  readonly toolCalls: readonly string[]
  /** What a model call was sent; null if that is not known. */
  readonly sent: ModelPrompt | null
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
  /** The latest event, in words. */
  readonly latest: string
}

export const beginning: RunSteps = { steps: [], warnings: [], latest: '' }

/** Name and unit of each limit. */
const LIMITS: Readonly<Record<string, readonly [name: string, inUnit: (value: unknown) => string]>> = {
  answer_by_sec: ['the time to answer', inSeconds],
  timeout_sec: ['the end of the run', inSeconds],
  max_steps: ['the step limit', value => `${shown(value)} steps`],
  max_output_tokens: ['the cap on generated tokens', value => `${shown(value)} tokens`],
  max_total_tokens: ['the cap on all tokens', value => `${shown(value)} tokens`],
  max_cost_usd: ['the limit on money', value => inDollars(known(value))],
}

/** Applies one event. Ignores unknown types and members, since the agent may be newer than this page. */
export function advance(run: RunSteps, { type, data }: RecordedEvent): RunSteps {
  const change = changes[type as StreamEventType]
  return change ? { ...run, ...change(data, run) } : run
}

const changes: Partial<Record<StreamEventType, (data: Members, run: RunSteps) => Partial<RunSteps>>> = {
  run_started: () => ({ latest: 'The agent has started' }),
  model_started: (data, run) => {
    const attempt = Number(data.attempt) || 1
    const retried = attempt > 1 ? `, try ${attempt}` : ''
    return {
      latest: `Step ${shown(data.step)}: asking the model${retried}`,
      steps: put(run, begin(data, 'model', data.model, { attempt, sent: promptIn(data.sent) })),
    }
  },
  text: (data, run) => ({
    steps: run.steps.map(step =>
      step.step === data.step ? { ...step, text: step.text + shown(data.text) } : step,
    ),
  }),
  model_finished: (data, run) => ({
    latest: `Step ${shown(data.step)}: the model has answered`,
    steps: patch(run, data, {
      state: 'done',
      inputTokens: known(data.input_tokens),
      outputTokens: known(data.output_tokens),
      costUsd: known(data.cost_usd),
      toolCalls: Array.isArray(data.tool_calls) ? data.tool_calls.map(shown) : [],
    }),
  }),
  model_failed: (data, run) => ({
    latest: `Step ${shown(data.step)}: the model call failed`,
    warnings: [
      ...run.warnings,
      `Step ${shown(data.step)}, try ${shown(data.attempt)}: ${shown(data.model)} failed`,
    ],
    // Text of a failed attempt does not count.
    steps: patch(run, data, { state: 'failed', text: '' }),
  }),
  tool_started: (data, run) => ({
    latest: `Step ${shown(data.step)}: calling ${shown(data.tool) || 'an unknown tool'}`,
    steps: put(run, begin(data, 'tool', data.tool, { arguments: shown(data.arguments) })),
  }),
  tool_finished: (data, run) => {
    const failed = data.failed === true
    return {
      latest: `Step ${shown(data.step)}: ${shown(data.tool) || 'the tool'} ${failed ? 'failed' : 'is done'}`,
      steps: patch(run, data, {
        state: failed ? 'failed' : 'done',
        text: shown(data.result),
        sources: sourcesIn(data.sources),
      }),
    }
  },
  limit_near: (data, run) => {
    const [name, inUnit] = LIMITS[shown(data.limit)] ?? [shown(data.limit), shown]
    const warning = `Close to ${name}: ${inUnit(data.used)} of ${inUnit(data.of)} used`
    return { latest: warning, warnings: [...run.warnings, warning] }
  },
}

function begin(data: Members, kind: RunStep['kind'], name: unknown, more: Partial<RunStep>): RunStep {
  return {
    step: Number(data.step),
    kind,
    name: shown(name),
    ...{ state: 'underway', attempt: 1, text: '', toolCalls: [], sent: null, arguments: '', sources: [] },
    ...{ inputTokens: null, outputTokens: null, costUsd: null },
    ...{ startedAt: known(data.at) ?? 0, finishedAt: null },
    ...more,
  }
}

/** A retried step replaces its earlier attempt and keeps its start time. */
function put(run: RunSteps, step: RunStep): readonly RunStep[] {
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

/** What the platform has checked: the agent is this project's own. */
function promptIn(value: unknown): ModelPrompt | null {
  return isObject(value) ? (value as unknown as ModelPrompt) : null
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

function inSeconds(value: unknown): string {
  return typeof value === 'number' ? duration(value * 1000) : shown(value)
}

function known(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function shown(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
