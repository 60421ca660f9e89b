import type { Log } from '../log/log.ts'
import { StateLog } from '../log/state-log.ts'
import type { RunEvent } from '../run/events.ts'
import type { FleetMetrics } from '../run/observer.ts'

/** @returns what logs and counts what happens to calls with side effects */
export function effectLog(log: Log, metrics: FleetMetrics | undefined) {
  const notStored = new StateLog((_tool, count, fields) =>
    log.warn({ ...fields, count }, 'a tool that may have side effects ran, and Redis did not record it'),
  )
  return (event: RunEvent, task_id: string): void => {
    if (event.type !== 'effect') return
    const { state, ...call } = event.data
    metrics?.effect(state, call.tool)
    const fields = { task_id, ...call }
    switch (state) {
      case 'replayed':
        log.info(fields, 'effect not repeated: its result was recorded')
        break
      case 'refused':
        log.warn(fields, 'effect refused: it cannot be recorded')
        break
      case 'not_stored':
        notStored.change(call.tool, { task_id, tool: call.tool })
        break
      case 'unknown':
        log.error(fields, 'effect unknown: the run ended before it was known whether it happened')
    }
  }
}
