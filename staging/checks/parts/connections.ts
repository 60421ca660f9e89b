import { setTimeout as sleep } from 'node:timers/promises'
import type { Check } from '../check.ts'
import { failuresOf } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone } from '../verdicts.ts'
import { words } from './words.ts'

const HANG_UPS = 3
const FREE_MS = 10
/** Time for a request to arrive. */
const LEAST_MS = 10

/** What callers do with connections. */
export function connections(session: Session): Check[] {
  const [first = '', second = first] = session.tasks.slice(0, 2).map(session.curlTask)
  return [
    {
      id: 'run.keep_alive',
      title: 'Two runs on one connection get a reply each, their own',
      why: words.concurrency,
      how: `${first} --next ${second.replace('curl ', '')}`,
      look: async () => {
        const reference = await session.reference()
        for (const { task } of [reference, await session.taskRun(session.tasks.length - 1)]) {
          const request = { task_id: await session.newId(), input: task.input, config: task.config }
          // A connection is free again a moment after its reply.
          await sleep(FREE_MS)
          const run = await session.run(request, { headers: { connection: 'keep-alive' } })
          const { task_id } = run.reply
          const isOther = task_id !== undefined && task_id !== request.task_id
          expectNone(isOther ? [`expected the task_id ${request.task_id}, got ${task_id}`] : [])
        }
      },
    },
    {
      id: 'run.after_hang_up',
      title: 'After callers have hung up, the agent does a task as well as before',
      why: words.health,
      how: `timeout 0.1 ${first}\n${first}`,
      look: async () => {
        const { task } = await session.reference()
        const ids = await Promise.all(Array.from({ length: HANG_UPS }, () => session.newId()))
        await Promise.all(
          ids.map(task_id => hangUp(session, { task_id, input: task.input, config: task.config })),
        )
        // An agent may finish what it has begun.
        await sleep(2 * session.quickestMs)
        const again = await session.patiently(() => session.again())
        expectNone([...failuresOf(again.run), ...(await session.lapses(again))])
      },
    },
  ]
}

/** Sends a request, and leaves in the middle of the run. */
export async function hangUp({ calls, quickestMs }: Session, body: object): Promise<void> {
  const timeoutMs = calls.limits.runTimeoutMs
  calls.requests += 1
  const soon = Math.max(LEAST_MS, Math.ceil(Math.min(quickestMs, timeoutMs) / 2))
  await calls.client.run(body, { timeoutMs, signal: AbortSignal.timeout(soon) })
}
