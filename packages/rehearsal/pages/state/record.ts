import type { RunRecord } from '../../api.ts'
import { usePoll } from './api-client.ts'

const UNDERWAY_MS = 250
const EVERY_MS = 1500
/** How long to wait for a run's log after its end. */
const SETTLED_MS = 4000

/** A run's record, which grows while the run is in progress; its log arrives a little later. */
export function useRecord(id: number | null) {
  return usePoll<RunRecord>(id === null ? null : `/api/runs/${id}`, waitMs)
}

function waitMs({ status, log, at, wallMs }: RunRecord): number | null {
  if (status === 'underway') return UNDERWAY_MS
  const endedMs = Date.now() - Date.parse(at) - (wallMs ?? 0)
  return log !== null || endedMs > SETTLED_MS ? null : EVERY_MS
}
