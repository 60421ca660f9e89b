import { inSeconds } from '../../figures.ts'
import { timesIn } from '../../tasks/numbers-and-times.ts'
import { type Check, check } from '../check.ts'
import type { Session, TaskRun } from '../session/session.ts'
import { Failed, OutOfSight } from '../verdicts.ts'

/** A clock that tells seconds moves on in that time. */
const APART_MS = 2_100
/** One that tells full minutes, in that time. */
const MINUTES_APART_MS = 61_000
/** An agent may keep an answer, but not for a run with another prompt. */
const otherPrompt = (tries: number) => `You do tasks, and tell the time with its seconds, try ${tries}.`

/** The tolerance of a task hides a clock that stands still. */
export function clock(session: Session): Check {
  return check('run.clock', 'The time that the agent tells moves on', async () => {
    const index = session.tasks.findIndex(({ expect }) => expect.time?.some(one => 'now' in one))
    if (index < 0) throw new OutOfSight('no task of the file asks for the time')
    const first = await session.taskRun(index)
    const told = secondsOf(first)
    // Some round to the minute.
    const isFull = told.every(second => second % 60 === 0)
    const waits = isFull ? [APART_MS, MINUTES_APART_MS] : [APART_MS]
    for (const [tries, apartMs] of waits.entries()) {
      const waitMs = Number(first.run.when.to) + apartMs - Date.now()
      if (waitMs > 0) await session.rest(waitMs)
      const config = { ...first.task.config, system_prompt: otherPrompt(tries) }
      const later = secondsOf(await session.runTask(first.task, undefined, config))
      // An answer may name other times too, such as when a shop opens.
      if (!later.every(second => told.includes(second))) return
    }
    throw new Failed(`expected another time than ${inSeconds(waits.at(-1)!)} before, got the same`)
  })
}

/** @throws OutOfSight if a run tells no second of the day */
function secondsOf({ run, problems }: TaskRun): number[] {
  const times = problems.length > 0 ? [] : timesIn(String(run.reply.output))
  const seconds = times.filter(({ length }) => length === 1).map(({ second }) => second)
  if (seconds.length === 0) throw new OutOfSight('this agent tells no seconds')
  return seconds
}
