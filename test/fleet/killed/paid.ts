import type { Asked } from './world.ts'

/** A task's run, and what was recorded of it when it met its fault. */
export interface Recorded {
  /** Name of the replica that was lost during it; absent: none was. */
  readonly lost?: string | undefined
  /** Whether Redis was away, so that another run may have begun. */
  readonly wasRedisAway: boolean
  /** Records in Redis, or the commands that have stored them. */
  readonly texts: readonly string[]
  /** Whether Redis was so slow that the run may have gone on unrecorded. */
  readonly isLate: boolean
}

/** The model calls that were made again, and why. */
export interface PaidTwice {
  /** Their replica was lost before they were recorded. */
  readonly inFlight: number
  /** A second run began without Redis, and could not know of their records. */
  readonly unread: number
  /** A second run began without Redis, and made them as well, before it knew of the first one. */
  readonly apart: number
  /** Nothing excuses them. */
  readonly others: readonly string[]
}

export function paidTwice(asked: readonly Asked[], recorded: Recorded): PaidTwice {
  const last = asked.findLast(({ by }) => by === recorded.lost)
  const counts = { inFlight: 0, unread: 0, apart: 0 }
  const others: string[] = []
  for (const [turn, [first, ...again]] of Map.groupBy(asked, ({ turn }) => turn)) {
    if (!first || again.length === 0) continue
    const names = [first, ...again].map(({ by }) => by)
    const isOnceEach = new Set(names).size === names.length
    const isRecorded = isIn(recorded, first)
    if (first === last && again.length === 1 && isOnceEach && !isRecorded) counts.inFlight += 1
    else if (recorded.wasRedisAway && isOnceEach) counts[isRecorded ? 'unread' : 'apart'] += again.length
    else others.push(`turn ${turn} was asked for by ${names.join(', then ')}`)
  }
  return { ...counts, others }
}

/** What is missing in the records: a run goes on once its last reply is recorded. They go with the run's own reply. */
export function* missingIn(asked: readonly Asked[], recorded: Recorded): Generator<string> {
  if (isOver(recorded.texts) || recorded.isLate) return
  const before = asked.filter(({ by }) => by === recorded.lost)
  for (const each of before.slice(0, -1))
    if (!isIn(recorded, each)) yield `turn ${each.turn} was not recorded, and the run went on`
}

/** Whether a task's reply is among its records. */
export function isOver(texts: readonly string[]): boolean {
  return texts.some(text => text.startsWith('{"task_id":'))
}

/** What an answer has not kept of the replies that were recorded. */
export function* changedIn(output: string, asked: readonly Asked[], recorded: Recorded): Generator<string> {
  const conversation: unknown[] = JSON.parse(output)
  for (const { turn, words } of repliesIn(asked, recorded)) {
    const now = conversation[2 * turn]
    if (now !== words) yield `turn ${turn} was recorded as ${words}, and is ${now}`
  }
}

/** The replies that were recorded. */
export function repliesIn(asked: readonly Asked[], recorded: Recorded): Asked[] {
  return asked.filter(each => isIn(recorded, each))
}

function isIn({ texts }: Recorded, { words }: Asked): boolean {
  // What follows the number is escaped there.
  const beginning = `"content":"${words.slice(0, words.indexOf(':') + 1)}`
  return texts.some(text => text.includes(beginning))
}
