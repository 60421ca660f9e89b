import { problemsOf } from './checks.ts'
import { Clock } from './clock.ts'
import { type Schedule, scheduleOf } from './schedule.ts'
import { World } from './world.ts'

/** All callers have their outcome by then, in milliseconds. */
const LATEST = 120_000
/** Longer than anything that a service leaves behind waits, in milliseconds. */
const AFTERWARDS = 90_000

export interface Simulation {
  readonly schedule: Schedule
  readonly problems: readonly string[]
  readonly calls: number
  readonly runs: number
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
    problems.push(...(await leftovers(world, clock)))
  } catch (error) {
    problems.push((error as Error).stack ?? String(error))
  }
  // What all runs of the process share, such as whose turn it is, must not be left half done.
  await clock.until(new Promise(resolve => setTimeout(resolve, 1)), Number.POSITIVE_INFINITY)
  return { schedule, problems, calls: world.calls.length, runs: world.runs.length }
}

/** Timers that are set long after all is over; dead replicas leave theirs. */
async function leftovers(world: World, clock: Clock): Promise<string[]> {
  if (world.replicas.some(({ diedAt }) => diedAt !== undefined)) return []
  await clock.until(new Promise(resolve => setTimeout(resolve, AFTERWARDS)), 4 * LATEST)
  return clock.timers === 0 ? [] : [`${clock.timers} timers are left`]
}
