import { truncate } from '@agent-task-service/wire/untrusted'
import type { SampleTask } from '../../tasks/task.ts'
import { type CheckGroup, check } from '../check.ts'
import { expectHttp200 } from '../parts/still-healthy.ts'
import { violationsOf } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, NotRun } from '../verdicts.ts'

const TITLE_LENGTH = 120

export const result: CheckGroup = {
  id: 'result',
  title: 'The result is correct',
  load: ({ tasks, limits: { burst, bursts }, options: { only } }) => {
    const known = only?.includes('health') === false ? 1 : burst * bursts
    return { alone: 0, beside: Math.max(0, tasks.length - known) }
  },
  checks: session =>
    session.tasks.map((task, index) =>
      check(`result.${index + 1}`, titleOf(task), async () => await expectRight(session, index)),
    ),
}

async function expectRight(session: Session, index: number): Promise<void> {
  session.startTasks()
  const { run, problems } = await session.taskRun(index)
  session.seen = [run]
  if (run.reply.status !== 'success') expectHttp200(run.exchange)
  if (violationsOf(run).shape.length > 0)
    throw new NotRun('the reply does not have the shape of a run response')
  expectNone(problems)
}

function titleOf({ name, input }: SampleTask): string {
  const text = name === undefined ? input : `${name}: ${input}`
  const oneLine = text.replace(/\s+/g, ' ').trim()
  return truncate(oneLine, TITLE_LENGTH)
}
