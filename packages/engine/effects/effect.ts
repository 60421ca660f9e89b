import { z } from 'zod'

/** How a call ended. */
export const effectOutcome = z.discriminatedUnion('kind', [
  /** `result`: what the tool returned, as JSON; absent: it cannot be kept. */
  z.object({ kind: z.literal('done'), result: z.json().optional() }),
  /** The tool said so, in `message`. */
  z.object({ kind: z.literal('failed'), message: z.string() }),
  /** It never began, or the tool's `lookup` found nothing. */
  z.object({ kind: z.literal('not_done') }),
])

export type EffectOutcome = z.infer<typeof effectOutcome>

export const NOT_DONE: EffectOutcome = { kind: 'not_done' }

/** A result whose JSON takes more, in bytes, is not kept. */
const MAX_RESULT_BYTES = 65_536

/** @param result what the tool returned; only plain data is kept */
export function doneWith(result: unknown): EffectOutcome {
  const json = z.json().safeParse(result)
  const isKept = json.success && Buffer.byteLength(JSON.stringify(json.data)) <= MAX_RESULT_BYTES
  return isKept ? { kind: 'done', result: json.data } : { kind: 'done' }
}

/** A call of a tool with side effects. */
export interface Effect {
  /** The same at every replica that runs the task, unique to the call. */
  readonly key: string
  readonly tool: string
  /** When it began, in epoch milliseconds. */
  readonly begunAt: number
  /** Absent: it has not ended, as far as is known. */
  readonly outcome?: EffectOutcome | undefined
}

/** What happens to an effect, for log and metrics. */
export type EffectEvent =
  /** It was done before the run was interrupted, so its result was given again. */
  | 'replayed'
  /** It could not be stored, so its tool did not run. */
  | 'refused'
  /** It could not be stored, but its tool, which does not say whether it has side effects, ran. */
  | 'not_stored'
  /** The run ended, and nobody knows whether it was done. */
  | 'unknown'

/** Keeps the effects of one run where other replicas find them. */
export interface EffectStore {
  /** Identifies the run, at every replica that takes it over. */
  readonly runId: string
  /** What the run did before it was interrupted. */
  readonly earlier: readonly Effect[]
  /**
   * Stores what is known of a call now.
   *
   * @returns whether it is stored
   * @throws {RunFailure} `taken_over` if another replica has the task
   */
  write(effect: Effect): Promise<boolean>
  report(event: EffectEvent, effect: Effect): void
}

/** For the caller of a run that was interrupted: the calls that may have happened, and those that have. */
export function describeUnknown(effects: readonly Effect[]): string {
  const unknown = effects.filter(({ outcome }) => !outcome)
  const done = effects.filter(({ outcome }) => outcome?.kind === 'done')
  const before = done.length === 0 ? '' : `; ${listed(done)} had succeeded before`
  return `the outcome is unknown: the run was interrupted during ${listed(unknown)}${before}. Find out whether it happened; if the task is still to be done, send it with a new task_id`
}

function listed(effects: readonly Effect[]): string {
  const inOrder = effects.toSorted((one, other) => one.begunAt - other.begunAt)
  const calls = inOrder.map(
    ({ tool, key, begunAt }) => `${tool} (key ${key}, begun at ${new Date(begunAt).toISOString()})`,
  )
  return calls.join(' and ')
}
