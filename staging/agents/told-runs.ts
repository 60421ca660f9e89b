import type { ToldEvent } from '../../src/wire/run-events.ts'
import type { RecordedEvent } from '../api.ts'
import { isObject } from '../json.ts'
import { keptEvents } from './kept-events.ts'

/** The last message arrives about when the reply does; a claim is given up after this many milliseconds. */
const LATE_MS = 10_000
/** Finished runs that nobody has claimed yet. */
const MAX_UNCLAIMED = 50

interface Told {
  readonly taskId: string
  readonly startedAt: number
  readonly events: ReturnType<typeof keptEvents>
}

interface Claim {
  readonly taskId: string
  readonly since: number
  readonly at: number
  readonly take: (events: readonly RecordedEvent[]) => void
}

export type ToldRuns = ReturnType<typeof toldRuns>

/** The runs of an agent that tells of them: see `ToldEvent`. */
export function toldRuns() {
  const open = new Map<number, Told>()
  let finished: readonly Told[] = []
  let claims: readonly Claim[] = []

  const matches = (told: Told, { taskId, since }: Claim) => told.taskId === taskId && told.startedAt >= since

  return {
    /** Receives a message of the agent. */
    add(message: unknown): void {
      if (!isObject(message) || !isObject(message.data)) return
      const { run, task_id: taskId, type, data } = message as unknown as ToldEvent
      const told = open.get(run) ?? { taskId, startedAt: Date.now(), events: keptEvents() }
      open.set(run, told)
      told.events.add(type, data, JSON.stringify(data).length)
      if (type !== 'run_finished') return
      open.delete(run)
      claims = claims.filter(({ at }) => Date.now() - at < LATE_MS)
      const claim = claims.find(one => matches(told, one))
      claims = claims.filter(one => one !== claim)
      if (claim) claim.take(told.events.all)
      else finished = [...finished, told].slice(-MAX_UNCLAIMED)
    },

    /**
     * Asks for the events of a run that has ended, which no one else gets then. A run that was joined or replayed has none.
     *
     * @param since when the run was requested
     */
    claim(taskId: string, since: Date, take: Claim['take']): void {
      const claim = { taskId, since: since.getTime(), at: Date.now(), take }
      const told = finished.find(one => matches(one, claim))
      finished = finished.filter(one => one !== told && (one.taskId !== taskId || matches(one, claim)))
      if (told) take(told.events.all)
      else claims = [...claims, claim]
    },

    /** Forgets all claims. */
    stop(): void {
      claims = []
    },
  }
}
