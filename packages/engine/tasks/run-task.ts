import {
  errorResponse,
  isUniqueTaskId,
  type Metrics,
  type RunRequest,
} from '@agent-task-service/wire/contract'
import type { Mask } from '@agent-task-service/wire/masking'
import type { GraphRunner } from '../graph/invoke-graph.ts'
import type { Effect } from '../journal/call-record.ts'
import { ignoredSettings } from '../log/ignored-settings.ts'
import { type Log, logToolTrouble } from '../log/log.ts'
import { modelLog } from '../log/model-log.ts'
import { StateLog } from '../log/state-log.ts'
import type { Reply } from '../replies/encode-reply.ts'
import type { RunContext } from '../run/context.ts'
import type { RunEvent, RunEventListener } from '../run/events.ts'
import type { FleetMetrics, RequestObserver } from '../run/observer.ts'
import { spent } from '../run/price.ts'
import type { Outcome } from '../run/task.ts'
import type { Admission } from './admission.ts'
import type { DayCost } from './day-cost.ts'
import type { Lease } from './ledger.ts'

/** What the runs of all tasks share. */
export interface RunTaskOptions {
  readonly runner: GraphRunner
  readonly admission: Admission
  readonly log: Log
  readonly mask: Mask
  /** Absent: nothing is counted. */
  readonly fleet?: FleetMetrics | undefined
  /** Absent: a day may cost any amount. */
  readonly dayCost?: DayCost | undefined
  /** `metrics` of a failed run: `{}` as the interface shows, or filled. */
  readonly errorMetrics: 'empty' | 'filled'
}

/** Who called, in the words of the log. */
export interface Caller {
  /** Which of `AGENT_TOKENS` it had, from 1. */
  readonly token_number: number
}

/** A request for a task, of one caller or of all who share its run. */
export interface Submission {
  readonly request: RunRequest
  /** `performance.now()` when the request arrived. */
  readonly arrivedAt: number
  /** Aborts when the caller hangs up, or the run must end early for another reason; of a run, that is a `RunFailure`. */
  readonly signal: AbortSignal
  /** Absent: anyone may call. */
  readonly caller?: Caller | undefined
  /** Observe a run started for this request; absent: nobody does. */
  readonly observed?: readonly RequestObserver[] | undefined
}

/**
 * Runs a task: from its request to its reply and its log line.
 *
 * @param watch receives its events
 * @param lease learns of the start, and keeps the run's journal; absent if nobody else could run the task
 */
export type RunTask = (
  submission: Submission,
  watch: RunEventListener,
  lease?: Pick<Lease, 'began' | 'journal'>,
) => Promise<Reply>

export function createRunTask(options: RunTaskOptions): RunTask {
  const { runner, admission, log, mask, fleet, dayCost, errorMetrics } = options
  const followModels = modelLog(log, mask)
  const logEffect = effectLog(log, fleet)
  const followSettings = ignoredSettings(log)
  return async ({ request, arrivedAt, signal, caller, observed }, watch, lease) => {
    const { task_id: id, input, config } = request
    // Validated with the graph's own settings, whose types the wire format does not know.
    const context = (config ?? runner.context.parse({})) as RunContext
    const task_id = taskIdForLog(id)
    const observers = observed?.flatMap(request => request.startRun() ?? []) ?? []
    const atModels = followModels(task_id)
    const settings = followSettings(context, runner.toolNames, task_id)
    const observe = (event: RunEvent) => {
      for (const observer of observers) observer.record(event)
      logToolTrouble(log, event, { task_id })
      atModels.record(event)
      logEffect(event, task_id)
      settings.record(event)
      dayCost?.record(event)
      watch(event)
    }
    const admit = async (end: AbortSignal) => {
      const release = await admission.enter(end)
      if (release) lease?.began()
      await dayCost?.refresh()
      return release
    }
    const waitSignal = () => admission.waitSignal
    const refusal = () => dayCost?.refusal
    const beginning = { arrivedAt, signal, watch: observe, admit, waitSignal, refusal }
    const outcome = await runner.run({ id, input, context, ...beginning, journalStore: lease?.journal })
    for (const observer of observers) observer.finish(outcome, task_id)
    settings.finish(outcome)
    const { status, stop, cut, model, toolsUsed: tools, cause: err, output, error = '', cost } = outcome
    const fields = {
      task_id,
      ...caller,
      status,
      stop,
      ...(cut && { cut }),
      ...metricsOf(outcome),
      ...timesOf(outcome),
      ...spent(cost),
      ...(cost.cachedTokens > 0 && { cached_tokens: cost.cachedTokens }),
      ...replayedIn(outcome),
      model,
      tools,
      ...Object.assign({}, ...observers.map(({ ids }) => ids)),
      err,
    }
    log[atModels.finish(outcome)](fields, 'run')
    // An error may quote a provider's code or refusal, which may contain someone else's key.
    const masked = { ...outcome, output: mask(output), error: mask.external(error) }
    const unknownEffects = outcome.unknownEffects.map(headerItem)
    const reply = toResponse(id, masked, errorMetrics)
    return unknownEffects.length === 0 ? reply : { ...reply, unknownEffects }
  }
}

/** What was not made again, and what that saved. */
function replayedIn({ replayed: { steps, tokens, costUsd }, liveFrom }: Outcome) {
  return {
    ...(steps > 0 && { replayed_steps: steps, saved_tokens: tokens }),
    ...(costUsd > 0 && { saved_cost_usd: costUsd }),
    ...(liveFrom !== undefined && { live_from_step: liveFrom }),
  }
}

/** Converts a run's outcome to the interface's response. */
function toResponse(
  taskId: string,
  outcome: Outcome & { readonly error: string },
  errorMetrics: 'empty' | 'filled',
): Reply {
  const { status, output, error } = outcome
  const metrics = metricsOf(outcome)
  switch (status) {
    case 'success':
      return { task_id: taskId, status, output, metrics }
    case 'timeout':
      return { task_id: taskId, status, output, metrics, error }
    case 'error':
      return errorResponse(taskId, error, errorMetrics === 'filled' ? metrics : undefined)
  }
}

/** An item of a structured field (RFC 9651). Names of tools and keys hold no quotes. */
function headerItem({ tool, key, begunAt }: Effect): string {
  return `"${tool}";key="${key}";begun="${new Date(begunAt).toISOString()}"`
}

/** Where its time went. */
function timesOf({ spentMs: { queued, models, tools }, retries }: Outcome) {
  return {
    queued_sec: inSeconds(queued),
    models_sec: inSeconds(models),
    tools_sec: inSeconds(tools),
    ...(retries > 0 && { retries }),
  }
}

function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1000
}

function metricsOf({ durationMs, usage }: Outcome): Metrics {
  return {
    duration_sec: inSeconds(durationMs),
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    steps: usage.steps,
  }
}

/** An id of unknown shape is external text, so the log says only `(invalid)`. */
export function taskIdForLog(taskId: string): string {
  return isUniqueTaskId(taskId) || /^test-\d{1,20}$/.test(taskId) ? taskId : '(invalid)'
}

/** How the log tells of effects, but of those that come often. */
const EFFECT_LINES = {
  replayed: ['info', 'effect not repeated: its result was recorded'],
  refused: ['warn', 'effect refused: it cannot be recorded'],
  unknown: ['error', 'effect unknown: the run ended before it was known whether it happened'],
} as const

/** @returns what logs and counts what happens to calls with side effects */
function effectLog(log: Log, metrics: FleetMetrics | undefined) {
  const notStored = new StateLog((_tool, count, fields) =>
    log.warn({ ...fields, count }, 'a tool that may have side effects ran, and Redis did not record it'),
  )
  return (event: RunEvent, task_id: string): void => {
    if (event.type !== 'effect') return
    const { state, ...call } = event.data
    metrics?.effect(state, call.tool)
    if (state === 'not_stored') notStored.change(call.tool, { task_id, tool: call.tool })
    else {
      const [level, message] = EFFECT_LINES[state]
      log[level]({ task_id, ...call }, message)
    }
  }
}
