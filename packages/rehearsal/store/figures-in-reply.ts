import { truncate } from '@agent-task-service/wire/untrusted'
import type { RecordedEvent, RunSummary } from '../api.ts'
import { isObject, objectIn, shownIn, textOf } from '../json.ts'

export const PREVIEW_LENGTH = 200

/** What a run's summary takes from its reply, without secrets, and its events. */
export function figuresIn(reply: string, events: readonly RecordedEvent[]) {
  const { metrics } = objectIn(reply)
  return {
    durationSec: numberOf(metrics, 'duration_sec', Number.isFinite),
    inputTokens: numberOf(metrics, 'input_tokens', Number.isSafeInteger),
    outputTokens: numberOf(metrics, 'output_tokens', Number.isSafeInteger),
    steps: numberOf(metrics, 'steps', Number.isSafeInteger),
    ...costIn(events),
    output: truncate(shownIn(reply), PREVIEW_LENGTH),
  } satisfies Partial<RunSummary>
}

/** Why a run is no success, in a line: the first violation, or else the error that the reply names; null without either. */
export function causeIn(reply: string, broken: readonly string[]): string | null {
  return truncate(broken[0] ?? textOf(objectIn(reply).error), PREVIEW_LENGTH) || null
}

function costIn(events: readonly RecordedEvent[]) {
  const { data } = events.findLast(({ type }) => type === 'run_finished') ?? {}
  return {
    costUsd: numberOf(data, 'cost_usd', Number.isFinite),
    costEstimated: data?.cost_estimated === true,
  }
}

/** A plausible figure from the metrics, or null. */
function numberOf(metrics: unknown, name: string, fits: (value: unknown) => boolean): number | null {
  if (!isObject(metrics) || !Object.hasOwn(metrics, name)) return null
  const value = metrics[name]
  return fits(value) && Number(value) >= 0 ? Number(value) : null
}
