import type { RunResponse } from '../http/contract.ts'

/** What makes requests the same task: the id, in lower case, and a digest of the body. */
export interface TaskKey {
  readonly id: string
  readonly content: string
}

export interface ClaimOptions {
  /** Whether this replica may run the task, if nobody does. */
  readonly mayRun: boolean
  /** Milliseconds to the deadline of the run. */
  readonly timeLeftMs: number
  /** Ends the run from outside. */
  readonly signal: AbortSignal
}

/** Who does a task. */
export type Claim =
  /** We do: nobody else runs it while the lease lasts. */
  | { readonly kind: 'run'; readonly lease: Lease }
  /** It is done. */
  | { readonly kind: 'reply'; readonly response: RunResponse }
  /** Another replica does, and knows that we wait: `changed` resolves when it is time to claim again. */
  | { readonly kind: 'wait'; readonly changed: Promise<void> }
  /** Nobody does, and this replica may not. */
  | { readonly kind: 'full' }

/** A task that is ours to run. Each method settles soon, whatever becomes of the store behind it, and never rejects but as said. */
export interface Lease {
  /** Aborts when the run is to end: from outside, or because another replica has taken the task over. */
  readonly signal: AbortSignal
  /** Resolves when no caller at another replica waits for the reply. */
  deserted(): Promise<void>
  /**
   * To be awaited before a tool begins whose effects reach outside: if this replica is lost from now on, the task is not
   * run again.
   *
   * @throws {RunFailure} `taken_over` where the task is no longer ours
   */
  effectsBegan(): Promise<void>
  /** Ends the lease. @returns whether the reply stands; `false`: another replica has taken the task over */
  finish(response: RunResponse): Promise<boolean>
  /** Ends the lease without a reply: the run was cut off from outside, and others who wait may run the task. */
  release(): Promise<void>
}

/** Knows who does which task, and what came of it: the one process, or a store that all replicas share. */
export interface Ledger {
  claim(task: TaskKey, options: ClaimOptions): Promise<Claim>
  /** Nobody at this replica waits any more for a task that another one runs. */
  leave(task: TaskKey): void
  close(): void
}
