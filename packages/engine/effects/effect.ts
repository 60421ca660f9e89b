import { isDirectToolOutput } from '@langchain/core/messages/tool'
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

/**
 * @param result what the tool returned. Of a message, the text is kept; of an object with a class of its own, nothing, as of one that
 *   is no JSON
 */
export function doneWith(result: unknown): EffectOutcome {
  try {
    const text = JSON.stringify(
      isDirectToolOutput(result) ? (result as { content?: unknown }).content : plain(result),
    )
    if (text !== undefined && Buffer.byteLength(text) <= MAX_RESULT_BYTES)
      return { kind: 'done', result: JSON.parse(text) }
  } catch {
    // A getter may throw, or the data lead back to itself.
  }
  return { kind: 'done' }
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.getPrototypeOf(value) === Object.prototype ? value : undefined
}

/** Whether a tool returned a generator, which LangChain reads. */
export function isGenerator(result: unknown): boolean {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
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

/** For the caller: the calls that may have happened, and those that have; `undefined` if each outcome is known. */
export function describeUnknown(effects: readonly Effect[]): string | undefined {
  const unknown = effects.filter(({ outcome }) => !outcome)
  if (unknown.length === 0) return undefined
  return `the outcome is unknown: nobody can say whether ${listed(unknown)} happened${describeDone(effects)}. Ask the service behind the tool for the key; if the task is still to be done, send it with a new task_id`
}

/** The calls that have succeeded, after a semicolon; "" if there is none. */
export function describeDone(effects: readonly Effect[]): string {
  const done = effects.filter(({ outcome }) => outcome?.kind === 'done')
  return done.length === 0 ? '' : `; ${listed(done)} had succeeded`
}

function listed(effects: readonly Effect[]): string {
  const inOrder = effects.toSorted((one, other) => one.begunAt - other.begunAt)
  const calls = inOrder.map(
    ({ tool, key, begunAt }) => `${tool} (key ${key}, begun at ${new Date(begunAt).toISOString()})`,
  )
  return calls.join(' and ')
}
