import type { MiddlewareHandler } from 'hono'
import type { LangSmith } from '../graph/run/langsmith.ts'
import type { Config } from './config.ts'
import type { EdgeEnv } from './http/env.ts'
import type { Log } from './log.ts'
import { type Scrub, scrubKeyShapes } from './scrub.ts'
import { watchDelivery } from './telemetry/delivery.ts'

/** How long the end of the process waits for telemetry to be delivered, in milliseconds. */
const FLUSH_MS = 2_000

/** What tells others of the service's work. Whatever becomes of it, runs go on as they would without. */
export interface Telemetry {
  /** Absent where OpenTelemetry is off. */
  readonly observe?: MiddlewareHandler<EdgeEnv> | undefined
  /** Told whether tasks are shared with other replicas. Absent where OpenTelemetry is off. */
  readonly shares?: ((isShared: boolean) => void) | undefined
  /** Absent where LangSmith is off. */
  readonly langSmith?: LangSmith | undefined
  /** Delivers what is waiting, within 2 s, or within the time left where that is less. */
  close(timeLeftMs?: number): Promise<void>
}

/** Starts what the configuration asks for; loads nothing else. */
export async function startTelemetry(config: Config, log: Log, scrub: Scrub): Promise<Telemetry> {
  const { langSmith: langSmithSettings, openTelemetry: settings } = config.telemetry
  const mask = (text: string) => scrubKeyShapes(scrub(text))
  const langSmith =
    langSmithSettings &&
    (await import('../graph/run/langsmith.ts')).createLangSmith({
      ...langSmithSettings,
      agent: config.agent,
      mask,
      onDelivery: watchDelivery(log, 'langsmith'),
    })
  const openTelemetry =
    settings &&
    (await (
      await import('./telemetry/open-telemetry.ts')
    ).startOpenTelemetry({
      settings,
      config,
      mask,
      onDelivery: watchDelivery(log, 'opentelemetry'),
    }))
  return {
    observe: openTelemetry?.observe,
    shares: openTelemetry?.shares,
    langSmith,
    async close(timeLeftMs = FLUSH_MS) {
      await within(
        Math.min(FLUSH_MS, timeLeftMs),
        Promise.allSettled([langSmith?.flush(), openTelemetry?.shutdown()]),
      )
    },
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const overtime = Promise.withResolvers<void>()
  const timer = setTimeout(overtime.resolve, ms)
  await Promise.race([work, overtime.promise])
  clearTimeout(timer)
}
