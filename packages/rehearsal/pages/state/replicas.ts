import { REPLICA_LOST, type RecordedEvent, type RunRecord } from '../../api.ts'
import { sumOf } from '../../figures.ts'
import { known, type RunStep, stepsIn } from './run-steps.ts'

/** What one replica did for a run. Times are in seconds since the run began. */
export interface Lane {
  readonly replica: number
  /** When it was asked. */
  readonly from: number
  /** Null: it was not lost. */
  readonly lostAt: number | null
  readonly steps: readonly RunStep[]
}

/** A record whose events are those of the replica that had the task last: it went through the run from its start. */
export interface ShownRecord extends RunRecord {
  /** Of each replica that had the task; absent if none was lost under it. */
  readonly lanes?: readonly Lane[]
}

export function withLanes(record: RunRecord): ShownRecord {
  if (!record.events.some(({ type }) => type === REPLICA_LOST)) return record
  let [replica, from] = [0, 0]
  let events: RecordedEvent[] = []
  const lanes: Lane[] = []
  const end = (number: number, lostAt: number | null) =>
    lanes.push({ replica: number, from, lostAt, steps: stepsIn(events).steps })
  for (const { type, data } of record.events) {
    if (type !== REPLICA_LOST) {
      events.push({ type, data: { ...data, at: (known(data.at) ?? 0) + from } })
      continue
    }
    end(known(data.replica) ?? 0, known(data.at))
    replica = known(data.next) ?? 0
    from = known(data.next_at) ?? 0
    events = []
  }
  end(replica, null)
  return { ...record, events, lanes }
}

/** What calls that were not made again had cost. */
export function savedIn(lanes: readonly Lane[]) {
  const replayed = lanes.flatMap(({ steps }) => steps.filter(({ isReplayed }) => isReplayed))
  const models = replayed.filter(({ kind }) => kind === 'model')
  const costs = models.map(({ costUsd }) => costUsd)
  return {
    modelCalls: models.length,
    toolCalls: replayed.length - models.length,
    tokens: sumOf(models.map(({ inputTokens, outputTokens }) => (inputTokens ?? 0) + (outputTokens ?? 0))),
    /** US dollars; null if a price is unknown. */
    costUsd: costs.includes(null) ? null : sumOf(costs.map(Number)),
  }
}
