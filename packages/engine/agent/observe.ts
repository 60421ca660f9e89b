/** What a package is written with that reports requests and runs to another system: `observe` of `defineAgent`. */
import type { z } from 'zod'
import type { ModelSettings } from '../model/model-entry.ts'
import type { Observer } from '../run/observer.ts'
import type { Extra } from './extra.ts'

export { causesOf, RunFailure } from '../failures/run-failure.ts'
export type { EffectState } from '../journal/effects.ts'
export type { ModelSettings } from '../model/model-entry.ts'
export type { PlainMessage, RunEvent, RunEventOf } from '../run/events.ts'
export type * from '../run/observer.ts'
export type { Outcome } from '../run/task.ts'
export type { Problem, RawVariables, Reading } from './extra.ts'

/** Proxies for requests, in the form that Node's agents take. */
export type Proxies = Readonly<Partial<Record<'HTTPS_PROXY' | 'HTTP_PROXY' | 'NO_PROXY', string>>>

/** Starts to observe, if its variables ask for it. Its failures must not affect a run. */
export interface Observability<Own extends z.ZodObject = z.ZodObject, Settings = z.output<Own>>
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
