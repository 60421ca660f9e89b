import { useCallback, useRef, useState } from 'preact/hooks'
import type { RunRequest } from '../../../src/http/contract.ts'
import type { RunSummary } from '../../api.ts'
import type { Api } from './api-client.ts'
import { advance, beginning, type LiveRun } from './live-run.ts'
import { type Outcome, outcomeOfRecord, outcomeOfReply } from './outcome.ts'
import { readReply } from './run-reply.ts'

/** The run that this page has made last. */
export interface CurrentRun {
  readonly agentId: string
  readonly request: RunRequest
  /** On the clock of `performance.now()`. */
  readonly startedAt: number
  readonly state: 'underway' | 'finished' | 'cancelled' | 'failed'
  readonly live: LiveRun
  readonly endedAt: number | null
  readonly outcome: Outcome | null
  /** Why there is no outcome. */
  readonly failure: string | null
}

export interface Runner {
  readonly current: CurrentRun | null
  readonly start: (agentId: string, request: RunRequest) => void
  readonly cancel: () => void
}

/** One run at a time, which goes on while other views are looked at. */
export function useRunner(api: Api): Runner {
  const [current, setCurrent] = useState<CurrentRun | null>(null)
  const controller = useRef<AbortController | null>(null)

  const start = useCallback(
    (agentId: string, request: RunRequest) => {
      controller.current?.abort()
      const own = new AbortController()
      controller.current = own
      const startedAt = performance.now()
      const change = (members: (run: CurrentRun) => Partial<CurrentRun>) => {
        // A run that another has replaced has nothing to say any more.
        if (controller.current === own) setCurrent(run => run && { ...run, ...members(run) })
      }
      setCurrent({
        ...{ agentId, request, startedAt, state: 'underway', live: beginning },
        ...{ endedAt: null, outcome: null, failure: null },
      })
      const onEvent = (type: string, data: Record<string, unknown>) =>
        change(({ live }) => ({ live: advance(live, type, data) }))
      const finish = async () => {
        const outcome = await run(api, agentId, request, own.signal, onEvent)
        change(() => ({ state: 'finished', outcome, endedAt: startedAt + outcome.wallMs }))
        const recorded = await findRecord(api, outcome).catch(() => null)
        if (recorded) change(() => ({ outcome: recorded, endedAt: startedAt + recorded.wallMs }))
      }
      finish().catch((error: Error) => {
        const state = own.signal.aborted ? 'cancelled' : 'failed'
        change(() => ({ state, failure: error.message, endedAt: performance.now() }))
      })
    },
    [api],
  )
  const cancel = useCallback(() => controller.current?.abort(), [])
  return { current, start, cancel }
}

async function run(
  api: Api,
  agentId: string,
  request: RunRequest,
  signal: AbortSignal,
  onEvent: Parameters<typeof readReply>[1],
): Promise<Outcome> {
  const startedAt = performance.now()
  const reply = await readReply(await api.run(agentId, request, signal), onEvent)
  return outcomeOfReply({ agentId, request, wallMs: performance.now() - startedAt }, reply)
}

/** The outcome as the platform has recorded it, with what breaks the contract; null where it has not. */
async function findRecord(api: Api, outcome: Outcome): Promise<Outcome | null> {
  const { signal } = new AbortController()
  const { runs } = await api.runs({ agent: outcome.agentId, limit: 10 }, signal)
  const found = runs.find(run => isOf(run, outcome))
  return found ? outcomeOfRecord(await api.record(found.id, signal)) : null
}

/** Ids of the shape `test-1` come back: an earlier run of the same id is told by its figures. */
function isOf(run: RunSummary, { taskId, status, metrics }: Outcome): boolean {
  return (
    run.taskId === taskId &&
    run.status === status &&
    run.durationSec === (metrics.duration_sec ?? null) &&
    run.inputTokens === (metrics.input_tokens ?? null)
  )
}
