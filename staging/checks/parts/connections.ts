import { setTimeout as sleep } from 'node:timers/promises'
import { advice, type Check, check } from '../check.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed } from '../verdicts.ts'
import { readLog } from './leaks.ts'
import { expectStillHealthy } from './still-healthy.ts'

const HANG_UPS = 3
const FREE_MS = 10
/** Bounds of the time between a request and its hang-up. */
const LEAST_MS = 10
const MOST_MS = 2_000

/** A caller hangs up instead of waiting for the reply, or half-way through the body. */
export type HangUp = 'waiting' | 'half-way'

/** What callers do with connections. */
export function connections(session: Session): Check[] {
  const first = session.curlFirst()
  const half = first.replace('curl ', "curl -H 'Content-Length: 9999' ")
  return [
    check('run.keep_alive', 'Two runs on one connection get a reply each, their own', async () => {
      session.how = `${first} --next ${first.replace('curl ', '')}`
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
    }),
    check(
      'run.after_hang_up',
      'After callers have hung up, the agent does a task as well as before',
      async () => {
        session.how = `timeout 0.1 ${first}\n${first}`
        const { task, run } = await session.reference()
        const ids = await Promise.all(Array.from({ length: HANG_UPS }, () => session.newId()))
        await Promise.all(
          ids.map(task_id => hangUp(session, { task_id, input: task.input, config: task.config }, 'waiting')),
        )
        // An agent may finish what it has begun.
        const restMs = 2 * Math.max(session.quickestMs, run.exchange.wallMs)
        // If the checks end meanwhile, the next request says why.
        await sleep(restMs, undefined, { signal: session.calls.signal }).catch(() => {})
        await session.expectAgain()
      },
    ),
    check(
      'run.half_sent',
      'A caller that hangs up half-way through a body starts no run, and does no harm to the next',
      async () => {
        session.how = `timeout 0.1 ${half}\n${first}`
        const task = await tooLong(session)
        await hangUp(session, task, 'half-way')
        await expectStillHealthy(session)
        await session.expectAgain()
        const log = await readLog(session).catch(() => '')
        // A line may quote the body, from its start.
        const isRun = (line: string) => line.includes(task.task_id) && !line.includes('unfinished')
        const run = log.split('\n').find(isRun)
        if (run !== undefined) throw new Failed(`expected no run of half a task, got one in the log: ${run}`)
      },
    ),
    advice(
      'run.half_silent',
      'While a caller that has sent half a body is silent, the agent works as before',
      async () => {
        session.how = `timeout 60 ${half} &\ncurl -sS -i ${session.url}/health; ${first}`
        const text = JSON.stringify(await tooLong(session))
        const leave = await session.calls.begin(text, text.length / 2)
        try {
          await expectStillHealthy(session)
          await session.expectAgain()
        } finally {
          leave()
        }
      },
    ),
  ]
}

/** Sends a request, or the first half of its body, and hangs up in the middle of the run that it starts. */
export async function hangUp(session: Session, body: object, when: HangUp): Promise<void> {
  const text = JSON.stringify(body)
  const leave = await session.calls.begin(text, when === 'half-way' ? text.length / 2 : text.length)
  await sleep(Math.max(LEAST_MS, Math.min(session.quickestMs / 2, MOST_MS)))
  leave()
}

/** A task that no agent can begin before its body is whole. */
async function tooLong(session: Session) {
  const { input } = (await session.reference()).task
  return { unfinished: true, task_id: await session.newId(), input: `${input} `.repeat(100) }
}
