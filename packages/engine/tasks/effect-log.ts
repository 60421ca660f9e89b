import type { Log } from '../log/log.ts'
import { StateLog } from '../log/state-log.ts'
import type { RunEvent } from '../run/events.ts'
import type { FleetMetrics } from '../run/observer.ts'

/** How the log tells of each, but of those that come often. */
const LINES = {
  replayed: ['info', 'effect not repeated: its result was recorded'],
  refused: ['warn', 'effect refused: it cannot be recorded'],
  unknown: ['error', 'effect unknown: the run ended before it was known whether it happened'],
} as const

/** @returns what logs and counts what happens to calls with side effects */
export function effectLog(log: Log, metrics: FleetMetrics | undefined) {
  const notStored = new StateLog((_tool, count, fields) =>
    log.warn({ ...fields, count }, 'a tool that may have side effects ran, and Redis did not record it'),
  )
  return (event: RunEvent, task_id: string): void => {
    if (event.type !== 'effect') return
    const { state, ...call } = event.data
    metrics?.effect(state, call.tool)
    if (state === 'not_stored') notStored.change(call.tool, { task_id, tool: call.tool })
    else {
      const [level, message] = LINES[state]
      log[level]({ task_id, ...call }, message)
    }
  }
}
