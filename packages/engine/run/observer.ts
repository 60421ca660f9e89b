import type { EffectState } from '../journal/effects.ts'
import type { RunEvent } from './events.ts'
import type { Outcome } from './task.ts'

/** Learns what happens. Nothing of it may throw. */
export interface Observer {
  /** A request has arrived. */
  request(request: ArrivedRequest): RequestObserver
  /** Absent: it does not count how replicas share their tasks. */
  readonly fleet?: FleetMetrics
  /** Delivers the backlog; rejects if that fails. */
  close(): Promise<void>
}

export interface ArrivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  /** In `performance.now()` milliseconds. */
  readonly arrivedAt: number
}

export interface RequestObserver {
  /** The request starts a run, which others may share. */
  startRun(): RunObserver | undefined
  /** @param status of the reply; `undefined`: the caller hung up */
  end(status: number | undefined): void
}

export interface RunObserver {
  /** For the run's log line. */
  readonly ids: Readonly<Record<string, string>> | undefined
  record(event: RunEvent): void
  /**
   * The run is over, with the same figures as the reply's metrics.
   *
   * @param taskId as logged
   */
  finish(outcome: Outcome, taskId: string): void
}

/** What happens to a task that callers or replicas share. */
export type FleetEvent = 'joined' | 'replayed' | 'taken_over' | 'run_alone' | 'given_up' | 'answer_refused'

/** Counts how callers and replicas share tasks. */
export interface FleetMetrics {
  /** Whether tasks are shared with other replicas now. */
  shares(isShared: boolean): void
  task(event: FleetEvent): void
  /** What happened to a call with side effects. */
  effect(state: EffectState, tool: string): void
  /**
   * The shared store was asked.
   *
   * @param failure why it did not answer
   */
  store(operation: string, durationMs: number, failure?: string): void
}
