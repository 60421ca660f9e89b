import type { Log } from '../log.ts'

/** Logs once when telemetry stops reaching a backend, and once when it does again. */
export function watchDelivery(log: Log, backend: string): (fault?: unknown) => void {
  let isFailing = false
  return fault => {
    if (isFailing === (fault !== undefined)) return
    isFailing = !isFailing
    if (isFailing) log.warn({ backend, err: fault }, 'telemetry is not delivered')
    else log.info({ backend }, 'telemetry is delivered again')
  }
}
