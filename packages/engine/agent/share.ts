/** What a package is written with through which replicas share tasks: `share` of `defineAgent`. */
import type { Mask } from '@agent-task-service/wire/masking'
import type { z } from 'zod'
import type { Log } from '../log/log.ts'
import type { FleetMetrics } from '../run/observer.ts'
import type { Ledger } from '../tasks/ledger.ts'
import type { Extra } from './extra.ts'

export { RunFailure } from '../failures/run-failure.ts'
export { newRunId } from '../journal/call-keys.ts'
export {
  type CallOutcome,
  callOutcome,
  describeDone,
  describeUnknown,
  EFFECTS_KEPT_MS,
  type Effect,
  type JournalStore,
  keptAfterReply,
  mayHaveHappened,
  type NotRecorded,
  unsharedStore,
} from '../journal/call-record.ts'
export type { Log } from '../log/log.ts'
export { StateLog } from '../log/state-log.ts'
export type { Reply } from '../replies/encode-reply.ts'
export { withCancellation } from '../run/cancellation.ts'
export type { FleetMetrics } from '../run/observer.ts'
export { TurnTimer } from '../run/turn-timer.ts'
export type { Claim, ClaimOptions, Lease, Ledger, TaskKey } from '../tasks/ledger.ts'
export { MemoryLedger } from '../tasks/memory-ledger.ts'
export type { Problem, RawVariables, Reading } from './extra.ts'

/** Knows who runs which task, in a store that all replicas share. */
export interface Share<Own extends z.ZodObject = z.ZodObject, Settings = z.output<Own>>
  extends Extra<Own, Settings> {
  /**
   * Opens the ledger. Resolves soon, even if the store is away: each replica then works alone.
   *
   * @returns `undefined` if its variables do not ask for it
   */
  open(settings: Settings, host: ShareHost): Promise<Ledger | undefined>
}

export interface ShareHost {
  readonly log: Log
  readonly mask: Mask
  readonly agent: {
    readonly id: string
    /** Whether `AGENT_ID` is not set, so that other agents may have the same id. */
    readonly hasDefaultId: boolean
    /** What an answer depends on: none may be replayed to an agent with another digest. */
    digest(): string
  }
  /** How long a success is replayed, in milliseconds; 0: never. */
  readonly replayTtlMs: number
  /** Absent: nothing is counted. */
  readonly metrics: FleetMetrics | undefined
}
