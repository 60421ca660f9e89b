import type { StreamEventType } from '../../../src/http/run-events.ts'

export interface LiveSource {
  readonly number: number
  readonly title: string
  readonly url: string
}

/** A model call or a tool call, as far as it is known. */
export interface LiveStep {
  readonly step: number
  readonly kind: 'model' | 'tool'
  readonly name: string
  readonly state: 'underway' | 'done' | 'failed'
  /** Above 1 when a model call was tried again. */
  readonly attempt: number
  /** What the model said, or what came of the tool. */
  readonly text: string
  /** Arguments of a tool call, as JSON. */
  readonly arguments: string
  /** Pages that a tool's result quotes. */
  readonly sources: readonly LiveSource[]
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** Seconds since the arrival of the request. */
  readonly startedAt: number
  readonly finishedAt: number | null
}

export interface LiveRun {
  readonly steps: readonly LiveStep[]
  /** Limits that come near, and tries that failed, one sentence each. */
  readonly warnings: readonly string[]
  /** The latest that happened, in words. */
  readonly latest: string
}

export const beginning: LiveRun = { steps: [], warnings: [], latest: '' }

const MOST_SOURCES = 50

type Members = Readonly<Record<string, unknown>>

const LIMITS: Readonly<Record<string, string>> = {
  answer_by_sec: 'the time to answer by',
  timeout_sec: 'the end of the run',
  max_steps: 'the step limit',
  max_output_tokens: 'the cap on generated tokens',
  max_total_tokens: 'the cap on all tokens',
}

/** What is known after one more event. Unknown types and members are ignored: the agent may be newer than this page. */
export function advance(run: LiveRun, type: string, data: Members): LiveRun {
  const change = changes[type as StreamEventType]
  return change ? { ...run, ...change(data, run) } : run
}

const changes: Partial<Record<StreamEventType, (data: Members, run: LiveRun) => Partial<LiveRun>>> = {
  run_started: () => ({ latest: 'The agent has begun' }),
  model_started: (data, run) => {
    const attempt = Number(data.attempt) || 1
    const retried = attempt > 1 ? `, try ${attempt}` : ''
    return {
      latest: `Step ${data.step}: asking the model${retried}`,
      steps: put(run, begin(data, 'model', data.model, { attempt })),
    }
  },
  text: (data, run) => ({
    steps: run.steps.map(step => (isOf(data, step) ? { ...step, text: step.text + said(data.text) } : step)),
  }),
  model_finished: (data, run) => ({
    latest: `Step ${data.step}: the model has answered`,
    steps: patch(run, data, {
      state: 'done',
      finishedAt: known(data.at),
      inputTokens: known(data.input_tokens),
      outputTokens: known(data.output_tokens),
    }),
  }),
  model_failed: (data, run) => ({
    latest: `Step ${data.step}: the model call failed`,
    warnings: [...run.warnings, `Step ${data.step}, try ${data.attempt}: ${said(data.model)} failed`],
    // The text of a failed try is void.
    steps: patch(run, data, { state: 'failed', finishedAt: known(data.at), text: '' }),
  }),
  tool_started: (data, run) => ({
    latest: `Step ${data.step}: calling ${said(data.tool) || 'an unknown tool'}`,
    steps: put(run, begin(data, 'tool', data.tool, { arguments: said(data.arguments) })),
  }),
  tool_finished: (data, run) => ({
    latest: `Step ${data.step}: ${said(data.tool) || 'the tool'} ${data.failed === true ? 'failed' : 'is done'}`,
    steps: patch(run, data, {
      state: data.failed === true ? 'failed' : 'done',
      finishedAt: known(data.at),
      text: said(data.result),
      sources: sourcesIn(data.sources),
    }),
  }),
  limit_near: (data, run) => {
    const limit = said(data.limit)
    const warning = `Close to ${LIMITS[limit] ?? limit}: ${said(data.used)} of ${said(data.of)}`
    return { latest: warning, warnings: [...run.warnings, warning] }
  },
}

function begin(data: Members, kind: LiveStep['kind'], name: unknown, more: Partial<LiveStep>): LiveStep {
  return {
    step: Number(data.step),
    kind,
    name: said(name),
    state: 'underway',
    attempt: 1,
    text: '',
    arguments: '',
    sources: [],
    inputTokens: null,
    outputTokens: null,
    startedAt: known(data.at) ?? 0,
    finishedAt: null,
    ...more,
  }
}

/** What an agent gives as a link is followed by a person: web pages alone. */
function sourcesIn(value: unknown): readonly LiveSource[] {
  const all: readonly Members[] = Array.isArray(value)
    ? value.filter(one => typeof one === 'object' && one)
    : []
  return all.slice(0, MOST_SOURCES).flatMap(({ number, title, url }) => {
    const address = URL.parse(said(url))
    const isPage = address?.protocol === 'https:' || address?.protocol === 'http:'
    return isPage ? [{ number: Number(number), title: said(title), url: address.href }] : []
  })
}

/** A step that is tried again takes the place of its earlier try, and keeps when it began. */
function put(run: LiveRun, step: LiveStep): readonly LiveStep[] {
  const index = run.steps.findIndex(({ step: number }) => number === step.step)
  if (index < 0) return [...run.steps, step].sort((a, b) => a.step - b.step)
  return run.steps.with(index, { ...step, startedAt: run.steps[index]!.startedAt })
}

function patch(run: LiveRun, data: Members, change: Partial<LiveStep>): readonly LiveStep[] {
  return run.steps.map(step => (isOf(data, step) ? { ...step, ...change } : step))
}

function isOf(data: Members, { step }: LiveStep): boolean {
  return step === data.step
}

function known(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function said(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
