import type { JournalStore } from '../journal/call-record.ts'
import type { Reply } from '../replies/encode-reply.ts'

/** Identifies a task: the id in lower case and a digest of the body. */
export interface TaskKey {
  readonly id: string
  readonly content: string
}

export interface ClaimOptions {
  /** Whether this replica may run the task if nobody else does. */
  readonly mayRun: boolean
  /** Milliseconds to the run's deadline. */
  readonly timeLeftMs: number
  /** Ends the run early, for example on a hang-up. */
  readonly signal: AbortSignal
}

/** Who runs a task. */
export type Claim =
  /** This replica; no other runs it while the lease lasts. */
  | { readonly kind: 'run'; readonly lease: Lease }
  /** Nobody: it is finished, and this is its reply. */
  | { readonly kind: 'reply'; readonly response: Reply }
  /** Another replica, which knows that we wait. `changed` resolves when it is time to claim again. */
  | { readonly kind: 'wait'; readonly changed: Promise<void> }
  /** Nobody, and this replica may not start it. */
  | { readonly kind: 'full' }

/** The right to run a task. Every method settles soon, whatever happens to the store, and rejects only as documented. */
export interface Lease {
  /** Aborts when the run must end early: also if another replica has taken the task over. */
  readonly signal: AbortSignal
  /** The run has its slot and begins. */
  began(): void
  /** Resolves when no caller at another replica waits for the reply. */
  deserted(): Promise<void>
  /** Keeps what the task's calls have done and brought. */
  readonly journal: JournalStore
  /** Ends the lease. @returns whether the reply counts; `false` if another replica has taken the task over */
  finish(response: Reply): Promise<boolean>
  /** Ends the lease without a reply, after the run was ended early; waiting replicas may run the task. */
  release(): Promise<void>
}

/** Knows who runs which task, and its reply. Kept in this process, or in a store that all replicas share. */
export interface Ledger {
  claim(task: TaskKey, options: ClaimOptions): Promise<Claim>
  /** Call when nobody at this replica waits any longer for a task that another replica runs. */
  leave(task: TaskKey): void
  /**
   * Adds to what all replicas have spent in a day; absent: they do not add up.
   *
   * @param day such as `2027-01-31`
   * @param usd US dollars
   * @returns what that makes; `undefined` if nobody knows
   */
  spend?(day: string, usd: number): Promise<number | undefined>
  close(): void
}
