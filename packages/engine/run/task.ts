import type { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import type { StopReason } from '../failures/stop-reason.ts'
import type { Effect } from '../journal/call-record.ts'
import type { Usage } from './budget.ts'
import type { RunContext } from './context.ts'
import type { Cost } from './price.ts'
import type { RunOptions } from './run.ts'

/** One task, in plain values. */
export interface Task extends Omit<RunOptions, 'limits' | 'priceOf' | 'exemptions'> {
  readonly id: string
  readonly input: string
  readonly context: RunContext
  /** Waits until the run may start or the signal aborts. Returns a function that frees the slot for the next run. */
  admit?(signal: AbortSignal): Promise<(() => void) | undefined>
}

/** How a task ended, in plain values. */
export interface Outcome {
  readonly status: 'success' | 'error' | 'timeout'
  readonly output: string
  readonly error?: string
  readonly stop: StopReason
  /** Whether a token cap cut the answer off. */
  readonly cut: boolean
  /** Milliseconds since the request arrived. */
  readonly durationMs: number
  /**
   * Of these, those before it began, while models were called, and while tools were; a tool that calls a model counts for both.
   */
  readonly spentMs: { readonly queued: number; readonly models: number; readonly tools: number }
  /** Model requests beyond the first of each call. */
  readonly retries: number
  readonly usage: Usage
  /** Of the steps, those that were not made again, since an earlier run of the task had made them, and what that saved. */
  readonly replayed: { readonly steps: number; readonly tokens: number; readonly costUsd: number }
  /** The first model call that a run that was taken over made anew; absent: it made none, or was not taken over. */
  readonly liveFrom?: number | undefined
  readonly cost: Cost
  /** Name of the model called last. */
  readonly model: string | undefined
  readonly toolsUsed: readonly string[]
  /** Calls of which nobody knows whether they had their effect. */
  readonly unknownEffects: readonly Effect[]
  /** The cause of an error; only for the log. */
  readonly cause?: unknown
}

/**
 * Creates the callback handlers and metadata that trace one run.
 *
 * @param end aborts if the run ends before its answer; its reason says why
 */
export type Trace = (
  task: Task,
  end: AbortSignal,
) => {
  readonly handlers: readonly BaseCallbackHandler[]
  readonly metadata: Readonly<Record<string, unknown>>
}
