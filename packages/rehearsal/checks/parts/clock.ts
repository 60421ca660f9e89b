import { setTimeout as sleep } from 'node:timers/promises'
import { timesIn } from '../../tasks/numbers-and-times.ts'
import { type Check, check } from '../check.ts'
import type { Session, TaskRun } from '../session/session.ts'
import { Failed, OutOfSight } from '../verdicts.ts'

/** A clock that tells seconds moves on in that time. */
const APART_MS = 2_100
/** An agent may keep an answer, but not for a run with another prompt. */
const OTHER_PROMPT = 'You do tasks, and tell the time with its seconds.'

/** The tolerance of a task hides a clock that stands still. */
export function clock(session: Session): Check {
  return check('run.clock', 'The time that the agent tells moves on', async () => {
    const index = session.tasks.findIndex(({ expect }) => expect.time?.some(one => 'now' in one))
    if (index < 0) throw new OutOfSight('no task of the file asks for the time')
    const first = await session.taskRun(index)
    const told = secondsOf(first)
    const waitMs = Number(first.run.when.to) + APART_MS - Date.now()
    // If the checks end meanwhile, the next request says why.
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: session.calls.signal }).catch(() => {})
    const config = { ...first.task.config, system_prompt: OTHER_PROMPT }
    const later = secondsOf(await session.runTask(first.task, undefined, config))
    if (later.some(second => told.includes(second)))
      throw new Failed(`expected another time than ${APART_MS / 1000} s before, got the same`)
  })
}

/** @throws OutOfSight if a run tells no second of the day */
function secondsOf({ run, problems }: TaskRun): number[] {
  const times = problems.length > 0 ? [] : timesIn(String(run.reply.output))
  // Some round to the minute.
  const seconds = times
    .filter(({ second, length }) => length === 1 && second % 60 > 0)
    .map(({ second }) => second)
  if (seconds.length === 0) throw new OutOfSight('this agent tells no seconds')
  return seconds
}
