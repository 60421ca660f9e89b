import { setTimeout as sleep } from 'node:timers/promises'
import type { Mask } from '@agent-task-service/wire/masking'
import type { Config } from '../config/config.ts'
import type { Log } from '../log/log.ts'
import type { FleetMetrics, Observer } from '../run/observer.ts'
import type { LangSmith } from './langsmith.ts'

/** How long shutdown waits for telemetry to be delivered, in milliseconds. */
export const DELIVERY_MS = 2_000

/** Reports the service's work to other systems. Its failures never affect a run. */
export interface Telemetry {
  readonly observers: readonly Observer[]
  /** Those of all observers as one; absent if none of them counts. */
  readonly fleet: FleetMetrics | undefined
  /** Absent if LangSmith is off. */
  readonly langSmith: LangSmith | undefined
  /** Delivers the backlog, or what can be delivered in the time left, in milliseconds; absent: in 2 s. */
  close(timeLeftMs?: number): Promise<void>
}

/** Starts what the configuration asks for, and loads nothing else. */
export async function startTelemetry(config: Config, log: Log, mask: Mask): Promise<Telemetry> {
  const { agent, model, langSmith: settings, proxies } = config
  const langSmith = settings.LANGSMITH_TRACING
    ? (await import('./langsmith.ts')).createLangSmith({
        settings,
        agent,
        mask: mask.external,
        onDelivery: watchDelivery(log, 'langsmith'),
      })
    : undefined
  const starting = config.observe.map(({ extra, settings }) => {
    const onDelivery = watchDelivery(log, extra.backend)
    return extra.start(settings, { agent, model, proxies, mask: mask.external, onDelivery })
  })
  const observers = (await Promise.all(starting)).filter(observer => observer !== undefined)
  return {
    observers,
    fleet: together(observers.flatMap(({ fleet }) => fleet ?? [])),
    langSmith,
    async close(timeLeftMs = DELIVERY_MS) {
      const flushed = Promise.allSettled([langSmith?.flush(), ...observers.map(each => each.close())])
      await Promise.race([flushed, sleep(timeLeftMs, undefined, { ref: false })])
    },
  }
}

function together(all: readonly FleetMetrics[]): FleetMetrics | undefined {
  const [only] = all
  if (all.length < 2) return only
  const tell = (say: (metrics: FleetMetrics) => void) => {
    for (const metrics of all) say(metrics)
  }
  return {
    shares: isShared => tell(metrics => metrics.shares(isShared)),
    task: event => tell(metrics => metrics.task(event)),
    effect: (state, tool) => tell(metrics => metrics.effect(state, tool)),
    store: (...asked) => tell(metrics => metrics.store(...asked)),
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
