import type { Log } from '../log.ts'

/** Tells the log when telemetry stops getting through to a backend, and when it does again: once each. */
export function watchDelivery(log: Log, backend: string): (fault?: unknown) => void {
  let isFailing = false
  return fault => {
    if (isFailing === (fault !== undefined)) return
    isFailing = !isFailing
    if (isFailing) log.warn({ backend, err: fault }, 'telemetry is not delivered')
    else log.info({ backend }, 'telemetry is delivered again')
  }
}
