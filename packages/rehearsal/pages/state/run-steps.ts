import type { StreamEventType } from '@agent-task-service/wire/contract'
import type { RecordedEvent, RunRecord } from '../../api.ts'
import { isObject, type JsonObject as Members, textOf } from '../../json.ts'

/** A model call or a tool call, as far as is known. */
export interface RunStep {
  readonly step: number
  readonly kind: 'model' | 'tool'
  readonly name: string
  /** The node that made the call; '' if the agent does not tell. */
  readonly node: string
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
  /** Whether it began while another one ran. */
  readonly isBeside: boolean
}

export interface RunSteps {
  readonly steps: readonly RunStep[]
  /** One sentence per approaching limit or failed attempt. */
  readonly warnings: readonly string[]
}

/** A run's steps while its events are read. */
interface Draft {
  /** By number. */
  readonly steps: Map<unknown, { -readonly [Name in keyof RunStep]: RunStep[Name] }>
  readonly warnings: string[]
  /** Numbers of those that have no end yet. */
  readonly open: Set<unknown>
}

/** A run's steps, from its events. Ignores unknown types and members, since the agent may be newer than this page. */
export function stepsIn(events: readonly RecordedEvent[]): RunSteps {
  const run: Draft = { steps: new Map(), warnings: [], open: new Set() }
  for (const { type, data } of events) {
    // A type may be the name of a member that every object has.
    if (Object.hasOwn(changes, type)) changes[type as StreamEventType]!(data, run)
  }
  return { warnings: run.warnings, steps: [...run.steps.values()].sort((a, b) => a.step - b.step) }
}

/** How long a step took; null if it has no end. */
export function tookMs({ startedAt, finishedAt }: RunStep): number | null {
  // Without what a difference of two fractions adds.
  return finishedAt === null ? null : Number((Math.max(0, finishedAt - startedAt) * 1000).toFixed(3))
}

/** When the last step ended, in seconds since the request arrived; one that has no end lasted until the run's, or lasts. */
export function endOfSteps(steps: readonly RunStep[], { status, at, wallMs }: RunRecord): number {
  const isUnderway = status === 'underway'
  const hasOpen = steps.some(({ finishedAt }) => finishedAt === null)
  const elapsedMs = isUnderway ? Date.now() - Date.parse(at) : hasOpen ? (wallMs ?? 0) : 0
  return Math.max(0.001, elapsedMs / 1000, ...steps.map(step => step.finishedAt ?? step.startedAt))
}

/** The model call whose text may become the answer: the latest, unless it called tools. */
export function answeringStep({ steps }: RunSteps): RunStep | undefined {
  const latest = steps.findLast(({ kind }) => kind === 'model')
  return latest?.toolCalls.length === 0 ? latest : undefined
}

const changes: Partial<Record<StreamEventType, (data: Members, run: Draft) => void>> = {
  model_started: (data, run) => begin(run, data, 'model', data.model),
  text: (data, { steps }) => {
    const step = steps.get(data.step)
    if (step) step.text += shownText(data.text)
  },
  model_finished: (data, run) =>
    end(run, data, {
      state: 'done',
      isReplayed: data.replayed === true,
      inputTokens: known(data.input_tokens),
      outputTokens: known(data.output_tokens),
      costUsd: known(data.cost_usd),
      toolCalls: Array.isArray(data.tool_calls) ? data.tool_calls.map(shownText) : [],
    }),
  model_failed: (data, run) => {
    run.warnings.push(
      `Step ${shownText(data.step)}, try ${shownText(data.attempt)}: ${shownText(data.model)} failed`,
    )
    // Text of a failed attempt does not count.
    end(run, data, { state: 'failed', text: '' })
  },
  tool_started: (data, run) => begin(run, data, 'tool', data.tool),
  tool_finished: (data, run) =>
    end(run, data, {
      state: data.failed === true ? 'failed' : 'done',
      isReplayed: data.replayed === true,
      text: shownText(data.result),
      sources: sourcesIn(data.sources),
    }),
  limit_near: ({ limit, used, of }, { warnings }) => {
    warnings.push(`Close to ${shownText(limit)}: ${shownText(used)} of ${shownText(of)} used`)
  },
}

/** A retried step replaces its earlier attempt and keeps its start time; one without a number is left out. */
function begin({ steps, open }: Draft, data: Members, kind: RunStep['kind'], name: unknown): void {
  const step = known(data.step)
  if (step === null) return
  const before = steps.get(step)
  const isBeside = before?.isBeside ?? open.size > 0
  open.add(step)
  steps.set(step, {
    ...{
      step,
      kind,
      name: shownText(name),
      node: textOf(data.node),
      isBeside,
      state: 'underway',
      isReplayed: false,
    },
    ...{ attempt: known(data.attempt) || 1, text: '', toolCalls: [], arguments: shownText(data.arguments) },
    ...{ sources: [], inputTokens: null, outputTokens: null, costUsd: null },
    ...{ startedAt: before?.startedAt ?? known(data.at) ?? 0, finishedAt: null },
  })
}

function end({ steps, open }: Draft, data: Members, change: Partial<RunStep>): void {
  const step = steps.get(data.step)
  open.delete(data.step)
  if (step) Object.assign(step, { finishedAt: known(data.at), ...change })
}

/** Keeps only sources with a web address. */
function sourcesIn(value: unknown): RunStep['sources'] {
  return (Array.isArray(value) ? value : []).filter(isObject).flatMap(({ number, title, url }) => {
    const href = webAddress(textOf(url))
    return href === undefined ? [] : [{ number: shownText(number), title: textOf(title) || href, url: href }]
  })
}

/** Normalises a web address; undefined for any other, such as `javascript:`. */
export function webAddress(text: string): string | undefined {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined
}

/** A plausible figure, or null. */
export function known(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : null
}

export function shownText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
