import { type Check, check } from '../check.ts'
import type { Session, TaskRun } from '../session/session.ts'
import { OutOfSight } from '../verdicts.ts'
import { rightOnes } from './subject.ts'
import { expectNoneAgain } from './variation.ts'

/** A line that asks nothing, before the task; an agent that takes no such thing as a task gets an empty one. */
const LINES_BEFORE = ['Please answer this question.', '']
const PROSE = 'The shop in our street sells tea, bread and honey, and opens at nine. '
/** Far less than a model reads, and more than an agent may cut an input to. */
const LONG = 2_500
const SHORT = 200

/** An agent must read all of its task. */
export const wholeInput = (session: Session): Check[] => [secondLine(session), longInput(session)]

function secondLine(session: Session): Check {
  return check('run.second_line', 'A task on its second line is done as on the first', async () => {
    const { task } = await session.reference()
    const lapsesOf = async (input: string) => await session.lapses(await session.runTask({ ...task, input }))
    for (const line of LINES_BEFORE) {
      if ((await lapsesOf(`${line} ${task.input}`)).length > 0) continue
      return await expectNoneAgain(session, () => lapsesOf(`${line}\n${task.input}`))
    }
    throw new OutOfSight('this agent does its task only now and then')
  })
}

/** How long an input may be, the contract leaves open: one that is refused is not cut. */
function longInput(session: Session): Check {
  return check(
    'run.long_input',
    `A task at the end of ${LONG} characters is done, or not taken`,
    async () => {
      const [other, own] = (await rightOnes(session, 2)) as [TaskRun, TaskRun]
      const after = async (text: string, length: number) => {
        const input = `${text.repeat(Math.ceil(length / text.length))}${own.task.input}`
        const run = await session.runTask({ ...own.task, input })
        return { isTaken: run.run.reply.status === 'success', lapses: await session.lapses(run, own) }
      }
      for (const text of [PROSE, `${other.task.input} `]) {
        if ((await after(text, SHORT)).lapses.length > 0) continue
        return await expectNoneAgain(session, async () => {
          const { isTaken, lapses } = await after(text, LONG)
          return isTaken ? lapses : []
        })
      }
      throw new OutOfSight('this agent does its task only by itself')
    },
  )
}
