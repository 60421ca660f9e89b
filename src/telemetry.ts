import type { MiddlewareHandler } from 'hono'
import type { Config } from './config.ts'
import type { EdgeEnv } from './http/env.ts'
import type { Log } from './log.ts'
import { type Scrub, scrubKeyShapes } from './scrub.ts'
import { watchDelivery } from './telemetry/delivery.ts'
import type { FleetMetrics } from './telemetry/instruments.ts'
import type { LangSmith } from './telemetry/langsmith.ts'

/** How long shutdown waits for telemetry to be delivered, in milliseconds. */
const FLUSH_MS = 2_000

/** Reports the service's work to other systems. Its failures never affect a run. */
export interface Telemetry {
  /** Absent if OpenTelemetry is off. */
  readonly observe?: MiddlewareHandler<EdgeEnv> | undefined
  /** Absent if OpenTelemetry is off. */
  readonly fleet?: FleetMetrics | undefined
  /** Absent if LangSmith is off. */
  readonly langSmith?: LangSmith | undefined
  /** Delivers the backlog within 2 s, or within the time left if that is shorter. */
  close(timeLeftMs?: number): Promise<void>
}

/** Starts what the configuration asks for, and loads nothing else. */
export async function startTelemetry(config: Config, log: Log, scrub: Scrub): Promise<Telemetry> {
  const { langSmith: langSmithSettings, openTelemetry: settings } = config.telemetry
  const mask = (text: string) => scrubKeyShapes(scrub(text))
  const langSmith =
    langSmithSettings &&
    (await import('./telemetry/langsmith.ts')).createLangSmith({
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
    fleet: openTelemetry?.fleet,
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
