import type { Log } from '../log/log.ts'
import { StateLog } from '../log/state-log.ts'
import type { RunEvent } from '../run/events.ts'
import type { FleetMetrics } from '../run/observer.ts'

/** Logs and counts what happens to calls with side effects. */
export class EffectLog {
  readonly #log: Log
  readonly #metrics: FleetMetrics | undefined
  #lastNotStored = {}
  readonly #notStored = new StateLog((_tool, count) =>
    this.#log.warn(
      { ...this.#lastNotStored, count },
      'a tool that may have side effects ran, and Redis did not record it',
    ),
  )

  constructor(log: Log, metrics: FleetMetrics | undefined) {
    this.#log = log
    this.#metrics = metrics
  }

  record(event: RunEvent, task_id: string): void {
    if (event.type !== 'effect') return
    const { state, ...call } = event.data
    this.#metrics?.effect(state, call.tool)
    const fields = { task_id, ...call }
    switch (state) {
      case 'replayed':
        this.#log.info(fields, 'effect not repeated: its result was recorded')
        break
      case 'refused':
        this.#log.warn(fields, 'effect refused: it cannot be recorded')
        break
      case 'not_stored':
        this.#lastNotStored = { task_id, tool: call.tool }
        this.#notStored.change(call.tool)
        break
      case 'unknown':
        this.#log.error(fields, 'effect unknown: the run ended before it was known whether it happened')
    }
  }
}
