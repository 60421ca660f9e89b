import { setTimeout as sleep } from 'node:timers/promises'
import type { Mask } from '@agent-task-service/wire/masking'
import type { Config } from './config.ts'
import type { Log } from './log/log.ts'
import type { FleetMetrics } from './telemetry/instruments.ts'
import type { LangSmith } from './telemetry/langsmith.ts'
import type { Observe } from './telemetry/request-span.ts'
import { urlFor } from './telemetry/settings.ts'

/** How long shutdown waits for telemetry to be delivered, in milliseconds. */
export const DELIVERY_MS = 2_000

/** Reports the service's work to other systems. Its failures never affect a run. */
export interface Telemetry {
  /** Absent if OpenTelemetry is off. */
  readonly observe?: Observe | undefined
  /** Absent if OpenTelemetry is off. */
  readonly fleet?: FleetMetrics | undefined
  /** Absent if LangSmith is off. */
  readonly langSmith?: LangSmith | undefined
  /** Delivers the backlog, or what can be delivered in the time left, in milliseconds; absent: in 2 s. */
  close(timeLeftMs?: number): Promise<void>
}

/** Starts what the configuration asks for, and loads nothing else. */
export async function startTelemetry(config: Config, log: Log, mask: Mask): Promise<Telemetry> {
  const { agent, model, telemetry: settings, proxies } = config
  const langSmith = settings.LANGSMITH_TRACING
    ? (await import('./telemetry/langsmith.ts')).createLangSmith({
        settings,
        agent,
        mask: mask.external,
        onDelivery: watchDelivery(log, 'langsmith'),
      })
    : undefined
  const collector = urlFor('TRACES', settings) ?? urlFor('METRICS', settings)
  const openTelemetry = collector
    ? await (await import('./telemetry/open-telemetry.ts')).startOpenTelemetry({
        agent,
        model,
        settings,
        proxies,
        mask: mask.external,
        onDelivery: watchDelivery(log, 'opentelemetry'),
      })
    : undefined
  return {
    observe: openTelemetry?.observe,
    fleet: openTelemetry?.fleet,
    langSmith,
    async close(timeLeftMs = DELIVERY_MS) {
      const flushed = Promise.allSettled([langSmith?.flush(), openTelemetry?.shutdown()])
      await Promise.race([flushed, sleep(timeLeftMs, undefined, { ref: false })])
    },
  }
}

/** Logs once when telemetry stops reaching a backend, and once when it does again. */
function watchDelivery(log: Log, backend: string): (fault?: unknown) => void {
  let isFailing = false
  return fault => {
    if (isFailing === (fault !== undefined)) return
    isFailing = !isFailing
    if (isFailing) log.warn({ backend, err: fault }, 'telemetry is not delivered')
    else log.info({ backend }, 'telemetry is delivered again')
  }
}
