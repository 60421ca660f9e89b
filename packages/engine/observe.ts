/** What a package is written with that reports requests and runs to another system: `observe` of `defineAgent`. */
import type { z } from 'zod'
import type { Extra } from './config/extra.ts'
import type { Proxies } from './config/proxies.ts'
import type { EffectState } from './effects/effect-journal.ts'
import type { ModelSettings } from './model/model-entry.ts'
import type { RunEvent } from './run/events.ts'
import type { Outcome } from './run/task.ts'

export type { Problem, RawVariables, Reading } from './config/extra.ts'
export type { Proxies } from './config/proxies.ts'
export type { EffectState } from './effects/effect-journal.ts'
export { causesOf } from './failures/causes.ts'
export { RunFailure } from './failures/run-failure.ts'
export type { ModelSettings } from './model/model-entry.ts'
export type { PlainMessage, RunEvent, RunEventOf } from './run/events.ts'
export type { Outcome } from './run/task.ts'

/** Starts to observe, if its variables ask for it. Its failures must not affect a run. */
// biome-ignore lint/suspicious/noExplicitAny: each has settings of its own
export interface Observability<Own extends z.ZodObject = z.ZodObject, Settings = any>
  extends Extra<Own, Settings> {
  /** What the log calls it. */
  readonly backend: string
  start(settings: Settings, host: ObserveHost): Promise<Observer | undefined>
}

export interface ObserveHost {
  readonly agent: { readonly id: string; readonly name: string }
  readonly model: ModelSettings
  /** Absent: none. `fetch` and Node's own agents use them by themselves. */
  readonly proxies: Proxies | undefined
  /** Masks whatever must not leave the process. */
  mask(text: string): string
  /** Call it after each delivery, with the error if it failed: the log says when that changes. */
  onDelivery(fault?: unknown): void
}

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
