import { isDirectToolOutput } from '@langchain/core/messages/tool'
import { z } from 'zod'
import { newRunId } from './call-keys.ts'

/** How a call ended. */
export const callOutcome = z.discriminatedUnion('kind', [
  /** `result`: what the tool returned, as JSON; absent: it cannot be kept. */
  z.object({ kind: z.literal('done'), result: z.json().optional() }),
  /** The tool said so, in `message`. */
  z.object({ kind: z.literal('failed'), message: z.string() }),
  /** It never began, or the tool's `lookup` found nothing. */
  z.object({ kind: z.literal('not_done') }),
])

export type CallOutcome = z.infer<typeof callOutcome>

export const NOT_DONE: CallOutcome = { kind: 'not_done' }

/** How long the effects of a task that has not succeeded are remembered, in milliseconds. */
export const EFFECTS_KEPT_MS = 24 * 3_600_000

/** A result whose JSON takes more, in bytes, is not kept. */
const MAX_RESULT_BYTES = 65_536
/** Most that the outcomes of one task's calls take together, in bytes of JSON; of later ones only the kinds are kept. */
export const MAX_OUTCOMES_BYTES = 2 ** 17
const MESSAGE_NOT_KEPT =
  'An earlier run of this task made this call, and it failed. Its message was not kept.'

/**
 * @param result what the tool returned. Of a message, the text is kept; of an object with a class of its own, nothing, as of one that
 *   is no JSON
 */
export function doneWith(result: unknown): CallOutcome {
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

/** The bytes that an outcome takes, as JSON. */
export function outcomeBytes(outcome: CallOutcome): number {
  return Buffer.byteLength(JSON.stringify(outcome))
}

/** An outcome without what the tool returned or said. */
export function withoutText({ kind }: CallOutcome): CallOutcome {
  return kind === 'failed' ? { kind, message: MESSAGE_NOT_KEPT } : { kind }
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
  /** Whether its tool says that it has side effects; if not, it says nothing. */
  readonly isDeclared: boolean
  /** Absent: it has not ended, as far as is known. */
  readonly outcome?: CallOutcome | undefined
}

/** Whether nobody knows that it had no effect. */
export function mayHaveHappened({ outcome }: Effect): boolean {
  return !outcome || outcome.kind === 'done'
}

/**
 * What the task's next run must know of one that has replied.
 *
 * @param isSuccess whether it succeeded: then calls of a tool that says nothing about side effects are forgotten
 */
export function keptAfterReply(effects: readonly Effect[], isSuccess: boolean): Effect[] {
  return effects.filter(
    effect => mayHaveHappened(effect) && (effect.isDeclared || (!isSuccess && !effect.outcome)),
  )
}

/** Why a step is not recorded. */
export type NotRecorded = 'too_large' | 'masked' | 'no_json'

/** Keeps the records of one run for the task's next run, or for a replica that takes it over. */
export interface JournalStore {
  /** Identifies the run, at every replica that takes it over, and when the task is sent again after it failed. */
  readonly runId: string
  /** What the task's runs did before. */
  readonly effects: readonly Effect[]
  /** How other calls of a run ended that was taken over, each a `CallOutcome` as JSON, by key; absent: those are not recorded. */
  readonly steps?: ReadonlyMap<string, string> | undefined
  /**
   * Stores what is known of a call with side effects now.
   *
   * @returns whether it is stored
   * @throws {RunFailure} `taken_over` if another replica has the task
   */
  writeEffect(effect: Effect): Promise<boolean>
  /**
   * Stores how another call ended, unless a secret is in it. Settles soon, whether or not it could be stored.
   *
   * @param isDueNow otherwise it goes with the next one, within a second
   */
  writeStep(key: string, outcome: string, isDueNow: boolean): Promise<void>
  /** Says why a step is not recorded. */
  skip(reason: NotRecorded): void
  /** @throws {RunFailure} `taken_over` if the lease is over and another replica has the run, as after a suspension */
  assertOurs(): Promise<void>
}

/** For a run whose task no other run can go on with. @param effects what is known of it, and where more is kept */
export function unsharedStore(
  effects: Partial<Pick<JournalStore, 'runId' | 'effects' | 'writeEffect'>> = {},
): JournalStore {
  return {
    runId: newRunId(),
    effects: [],
    writeEffect: async () => true,
    writeStep: async () => {},
    skip: () => {},
    assertOurs: async () => {},
    ...effects,
  }
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
