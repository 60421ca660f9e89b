import { inSeconds, medianOf } from '../../figures.ts'
import { advice, type Check } from '../check.ts'
import type { Session } from '../session/session.ts'
import { Failed, NotRun, OutOfSight } from '../verdicts.ts'
import { trendIn } from './trend.ts'

/** Runs of one task: those of the warm-up, and then four quarters. */
const WARM_UP = 50
const QUARTER = 50
const QUARTERS = 4
export const LONG_RUNS = WARM_UP + QUARTERS * QUARTER
/** In bytes a run: a container of 2 GB lasts for a thousand of them. */
const MOST_GROWTH = 2e6
/** How many times as long the last quarter's runs may take as the first one's. */
const MOST_SLOWING = 1.5

/** Whether an agent that the checks start can go on and on: what many runs leave behind. */
export function long(session: Session): Check[] {
  if (!session.options.long || session.options.start === undefined) return []
  return [
    advice('limits.memory', `Its memory does not grow by ${MOST_GROWTH / 1e6} MB with each run`, async () => {
      const { memory } = await session.once(manyRuns)
      if (memory.length < LONG_RUNS)
        throw new OutOfSight(
          'no process that was started listens here: one in a container does not show its memory',
        )
      // What garbage there is varies: the least of each part is what it keeps.
      const kept = memory.flatMap((_, run) =>
        run % QUARTER === 0 ? Math.min(...memory.slice(run, run + QUARTER)) : [],
      )
      const growth = kept.slice(1).map((bytes, part) => (bytes - kept[part]!) / QUARTER)
      if (growth.some(bytes => bytes <= MOST_GROWTH)) return
      const [first, last] = [kept[0]!, kept.at(-1)!].map(bytes => `${Math.round(bytes / 1e6)} MB`)
      throw new Failed(
        `expected about ${first} after ${QUARTERS * QUARTER} more runs, as after the first, got ${last}, growing all the time`,
      )
    }),
    advice('limits.pace', 'Its runs do not slow down, one after the other', async () => {
      const { times } = await session.once(manyRuns)
      if (times.length < QUARTERS) throw new NotRun('too few runs succeeded')
      const part = Math.floor(times.length / QUARTERS)
      const [first, last] = [times.slice(0, part), times.slice(-part)].map(medianOf)
      if (last! <= MOST_SLOWING * first! || trendIn(times) !== 'certain') return
      throw new Failed(`expected about ${inSeconds(first!)} a run as at first, got ${inSeconds(last!)}`)
    }),
  ]
}

/** The memory in use after each run, and how long the runs took that succeeded on an idle machine. */
async function manyRuns(session: Session) {
  const memory: number[] = []
  const times: number[] = []
  for (let run = 1; run <= LONG_RUNS; run += 1) {
    const { reply, exchange, busy } = (await session.again()).run
    if (run > WARM_UP && reply.status === 'success' && !busy) times.push(exchange.wallMs)
    const bytes = session.options.start!.memory?.()
    if (bytes !== undefined) memory.push(bytes)
  }
  return { memory, times }
}
