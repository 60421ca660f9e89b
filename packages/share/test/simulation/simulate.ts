import { STEPS } from '../../claim-scripts.ts'
import { problemsOf } from './checks.ts'
import { Clock } from './clock.ts'
import { type Schedule, scheduleOf } from './schedule.ts'
import { type Summary, summaryOf } from './taken-over.ts'
import { sleep } from './waits.ts'
import { World } from './world.ts'

/** All callers have their outcome by then, in milliseconds. */
const LATEST = 120_000
/** Longer than anything that a service leaves behind waits, in milliseconds. */
const AFTERWARDS = 30_000

export interface Simulation {
  readonly schedule: Schedule
  readonly problems: readonly string[]
  readonly calls: number
  readonly runs: number
  readonly summary: Summary
}

/** Plays the schedule of a seed, and checks what must always hold. */
export async function simulate(seed: number): Promise<Simulation> {
  const schedule = scheduleOf(seed)
  using clock = new Clock()
  const world = new World(schedule, clock)
  const problems: string[] = []
  try {
    await clock.until(world.start(), LATEST)
    await clock.until(world.play(), LATEST)
    problems.push(...problemsOf(world))
    if (schedule.fillsSlots) {
      const slots = world.fillSlots()
      await clock.until(slots, 2 * LATEST)
      problems.push(...(await slots))
    }
    await clock.until(world.close(), 3 * LATEST)
  } catch (error) {
    problems.push((error as Error).stack ?? String(error))
  }
  // Runs of dead replicas end too. One that stops while it has a turn of the event loop would keep it from the next schedule.
  await clock.until(sleep(AFTERWARDS), Number.POSITIVE_INFINITY)
  const isAllOver = problems.length === 0 && world.replicas.every(({ diedAt }) => diedAt === undefined)
  if (isAllOver && clock.timers > 0) problems.push(`${clock.timers} timers are left`)
  const kept = world.redis.keys.filter(key => key.endsWith(STEPS))
  if (kept.length > 0) problems.push(`steps are kept for ever: ${kept.join(', ')}`)
  const { calls, runs } = world
  return { schedule, problems, calls: calls.length, runs: runs.length, summary: summaryOf(world) }
}
