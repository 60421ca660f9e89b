import type { CallOutcome, NotRecorded } from './call-record.ts'
import type { KeyedCall } from './idempotency-key.ts'

/** What is recorded of how a call ended; `result` is to be JSON. */
export type Recorded =
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly message: string }
  | NotRecorded
  | undefined

/** A call of a model or a tool. */
export interface Call<Result> {
  /** Present: it has side effects, which are had once. */
  readonly effect?: EffectCall | undefined
  /** Whether it sets something, so that what the last one sets counts. */
  readonly isSetter?: boolean
  /** Whether an equal one returns the same at once: a record would cost more. */
  readonly isCheap?: boolean
  /** Number of the model call in its run; absent: it is a tool's. */
  readonly modelStep?: number
  /** The same for equal calls. */
  digest(): string
  /** @throws {ToolRefusal} if it may not be made now */
  admit?(): void
  /**
   * Ends it as it ended when it was made.
   *
   * @returns `undefined` if the record cannot be read: then it is made
   */
  replay(outcome: CallOutcome): Promise<Result> | undefined
  /** What is recorded of how one without side effects ended; `undefined`: nothing is. */
  record(ended: PromiseSettledResult<Result>): Recorded
}

/**
 * Finds out whether a call happened: its result if so, `undefined` if it did not and never will. Rejects if that cannot be
 * found out.
 */
export type Lookup = (key: string) => Promise<unknown>

/** How it is found out whether a call of a tool had its effect. */
export interface Settlement {
  readonly lookup?: Lookup | undefined
  /** Whether its service does nothing twice with the same idempotency key: then the call is made again. */
  readonly honoursKeys: boolean
}

export interface EffectCall extends Settlement {
  readonly keyed: KeyedCall
  /** Whether the tool says that it has side effects; one that says nothing runs even if nothing can be stored. */
  readonly isDeclared: boolean
}
