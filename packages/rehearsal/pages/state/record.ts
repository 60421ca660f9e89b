import { useMemo } from 'preact/hooks'
import type { RunRecord } from '../../api.ts'
import { api, useAction, usePoll } from './api-client.ts'
import { withLanes } from './replicas.ts'
import { go, hrefOf } from './route.ts'

const UNDERWAY_MS = 250
const EVERY_MS = 1500
/** How long to wait for a run's log after its end. */
const SETTLED_MS = 4000

/** A run's record, which grows while the run is in progress; its log arrives a little later. */
export function useRecord(id: number) {
  const { data, error } = usePoll<RunRecord>(`/api/runs/${id}`, waitMs)
  return { data: useMemo(() => data && withLanes(data), [data]), error }
}

function waitMs({ status, log, at, wallMs, repeats, repeatsLeft }: RunRecord): number | null {
  if (status === 'underway') return UNDERWAY_MS
  if (repeatsLeft > 0 || repeats.some(other => other.status === 'underway')) return EVERY_MS
  const endedMs = Date.now() - Date.parse(at) - (wallMs ?? 0)
  return log !== null || endedMs > SETTLED_MS ? null : EVERY_MS
}

/** A run that the reader began on this page and that no view has shown yet. */
let begun: RunRecord | null = null

/** At most so many runs are shown beside the form. */
export const SHOWN_RUNS = 2

/**
 * Begins a run of a task, or several, and shows the first beside the form.
 *
 * @param beside the runs to go on showing, the latest first
 */
export function useBegin(agentId: string, beside: readonly number[]) {
  return useAction(async (...[request, times = 1]: [request: object, times?: number]) => {
    const query = times > 1 ? `?times=${times}` : ''
    begun = await api.post<RunRecord>(`/api/agents/${agentId}/runs${query}`, request)
    go(hrefOf(`run/${agentId}`, { run: [begun.id, ...beside].slice(0, SHOWN_RUNS) }))
  })
}

/** The run's first record if the reader has just begun it on this page; null for one that was there before. */
export function useBegun(id: number | null): RunRecord | null {
  return useMemo(() => {
    if (begun === null || begun.id !== id) return null
    const record = begun
    begun = null
    return record
  }, [id])
}
