import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { plainRequest } from '../../agents/plain-request.ts'
import type { Leaving } from '../../curl.ts'
import { inSeconds } from '../../figures.ts'
import { fakeKey } from '../../secrets.ts'
import { judge } from '../../tasks/judge.ts'
import type { SampleTask } from '../../tasks/task.ts'
import { advice, type Check, check } from '../check.ts'
import { failuresOf, taskKeyOf } from '../session/replies.ts'
import type { Session, TaskRun } from '../session/session.ts'
import { expectNone, Failed, OutOfSight } from '../verdicts.ts'
import { BLANKS_A_TRY, LEFT_BEHIND } from './isolation.ts'
import { readLog } from './leaks.ts'
import { expectStillHealthy } from './still-healthy.ts'
import { deviations, subject, withBlanks } from './subject.ts'
import { expectAgain, expectNoneAgain } from './variation.ts'

/** More than most agents run at once, so that none is left if each costs one. */
const HANG_UPS = 8
/** After callers have hung up. */
const LEAST_REST_MS = 300
const LARGE_BYTES = 2 ** 21
/** A connection that is to be closed is closed by then. */
const CLOSED_MS = 1_000
/** Appended to the input: an agent with a cache does it. */
const BLANKS = 6
/** Bounds of the time between a request and its hang-up. */
const LEAST_MS = 10
const MOST_MS = 2_000

export type HangUp = Exclude<Leaving, 'silent'>

/** What callers do with connections. */
export function connections(session: Session): Check[] {
  return [
    check(
      'run.keep_alive',
      'Runs on one connection get a reply each, their own, and nothing of the config of those before',
      async () => {
        const { task: second } = await session.once(subject)
        const { task } = await session.taskRun(session.tasks.length - 1)
        await expectNoneAgain(session, async tries => {
          const runs = await onOneConnection(session, [
            ...LEFT_BEHIND.map(config => ({ ...task, config })),
            withBlanks(second, BLANKS + tries * BLANKS_A_TRY),
          ])
          session.how = session.curlOf(session.seen, ' --next ')
          const next = runs.pop()!
          const other = runs.find(({ run }) => run.request.task_id === next.run.reply.task_id)
          const ids = `${next.run.request.task_id}, got ${next.run.reply.task_id}`
          expectNone(other ? [`expected the task_id ${ids}`] : [])
          return await deviations(session, next)
        })
      },
    ),
    check(
      'run.refused_body',
      'After a request that is refused, large or small, its body is not read as the next one on its connection',
      async () => {
        for (const refused of likelyRefused(session)) {
          const { method, path = '/run', headers, body, bodyFrom } = refused
          const shown = bodyFrom === undefined ? { body } : { bodyFrom }
          session.how = `${session.curl({ path, method, headers, ...shown })} --next -i -m 5 ${session.url}/health`
          await expectNextServed(session, refused)
        }
      },
    ),
    ...harm(session),
  ]
}

/** What must do no harm to the next run: all of it comes before one run, and each alone only if that fails. */
function harm(session: Session): Check[] {
  const before = (leaves: Leaving) =>
    `${session.curlFirst({ leaves })}${leaves === 'silent' ? ' &' : ''}\n${session.curlFirst()}`
  const isHarmless = async () => (await session.once(afterAll)).isHarmless
  return [
    check(
      'run.after_hang_up',
      'While callers hang up, and after it, the agent does a task as well as before',
      async () => {
        session.how = before('waiting')
        if (await isHarmless()) return
        await expectAgain(session, async () => await hangUps(session))
      },
    ),
    check(
      'run.half_sent',
      'A caller that hangs up half-way through a body starts no run, and does no harm to the next',
      async () => {
        session.how = before('half-way')
        const { half: task } = await session.once(afterAll)
        if (!(await isHarmless()))
          await expectAgain(session, async () => {
            await hangUp(session, task, 'half-way')
            await expectStillHealthy(session)
            return []
          })
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
        session.how = before('silent')
        if (await isHarmless()) return
        await whileSilent(session, async () => {
          await expectStillHealthy(session)
          await expectAgain(session)
        })
      },
    ),
  ]
}

/** Does all of it, and then a task: whether that is done as before. */
async function afterAll(session: Session) {
  const half = await longTask(session)
  const problems = async () => {
    const [staying] = await Promise.all([hangUps(session), hangUp(session, half, 'half-way')])
    await expectStillHealthy(session)
    const again = await session.again()
    return [...staying, ...failuresOf(again.run), ...(await session.lapses(again))]
  }
  const isHarmless = await whileSilent(session, problems).then(
    found => found.length === 0,
    () => false,
  )
  return { half, isHarmless }
}

/** Callers hang up while the agent works on their tasks. @returns what is wrong with the run of one that stays */
async function hangUps(session: Session): Promise<readonly string[]> {
  const key = taskKeyOf((await session.reference()).run)
  const same = session.runs.filter(run => taskKeyOf(run) === key)
  // An agent may finish what it has begun: some take as long as the slowest so far.
  const slowestMs = Math.max(...same.map(({ exchange }) => exchange.wallMs))
  const requests = Array.from({ length: HANG_UPS }, () => session.newRequest())
  const [staying] = await Promise.all([
    session.patiently(() => session.again()),
    ...requests.map(async request => hangUp(session, await request, 'waiting')),
  ])
  await session.rest(Math.max(LEAST_REST_MS, slowestMs))
  return failuresOf(staying.run).map(problem => `beside callers that hang up: ${problem}`)
}

/** Does something while a caller has sent half a body. */
async function whileSilent<Result>(session: Session, work: () => Promise<Result>): Promise<Result> {
  const text = JSON.stringify(await longTask(session))
  const leave = await session.calls.begin(text, text.length / 2)
  try {
    return await work()
  } finally {
    leave()
  }
}

/** Runs tasks one after the other on a connection that no other request uses. */
async function onOneConnection(session: Session, tasks: readonly SampleTask[]): Promise<TaskRun[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const done: TaskRun[] = []
  try {
    for (const task of tasks) {
      const { input, config } = task
      const run = await session.run({ input, config }, { agent })
      done.push({ task, run, problems: judge(task.expect, run.reply, run.when) })
    }
    return done
  } finally {
    agent.destroy()
  }
}

interface Refused {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  /** A command that prints a large one. */
  readonly bodyFrom?: string
}

/** Requests that many servers refuse by their first lines, before they read the body. */
function likelyRefused({ options, tasks }: Session): Refused[] {
  const body = JSON.stringify({ task_id: 'test-1', input: tasks[0]!.input })
  const other = { headers: { authorization: `Bearer ${fakeKey()}` }, body }
  return [
    { path: '/runs/test-1', body },
    { method: 'PUT', body },
    { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'task_id=test-1' },
    // Without a token of its own, the agent would run it.
    ...(options.token === undefined ? [] : [other]),
    { body: '0'.repeat(LARGE_BYTES), bodyFrom: `head -c ${LARGE_BYTES} /dev/zero` },
  ]
}

/** Sends a request that is likely refused, and then a health check on the same connection. */
async function expectNextServed({ calls, limits, url }: Session, refused: Refused): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { method = 'POST', path = '/run', body } = refused
  try {
    const headers = { 'content-type': 'application/json', ...refused.headers }
    const { failure } = await calls.send(method, path, { headers, body, timeoutMs: limits.refusalMs, agent })
    if (failure !== null) throw new OutOfSight(`the reply to ${method} ${path} is lost`)
    const call = { ...calls.healthCall(), agent }
    const next = await calls.fairly(() => plainRequest('GET', `${url}/health`, call))
    const isClosed = next.failure?.kind === 'reset' && next.wallMs < CLOSED_MS
    const usual = calls.polls.at(-1)?.status ?? next.status
    if (isClosed || (next.failure === null && next.status === usual)) return
    const got = next.failure?.message ?? `HTTP ${next.status}`
    throw new Failed(
      `expected HTTP ${usual} for the next request, or a closed connection: ${got}, after ${inSeconds(next.wallMs)}`,
    )
  } finally {
    agent.destroy()
  }
}

/** Sends a request, or the first half of its body, and hangs up in the middle of the run that it starts. */
export async function hangUp(session: Session, body: object, when: HangUp): Promise<void> {
  const text = JSON.stringify(body)
  const leave = await session.calls.begin(text, when === 'half-way' ? text.length / 2 : text.length)
  await sleep(Math.max(LEAST_MS, Math.min(session.quickestMs / 2, MOST_MS)))
  leave()
}

/** A task that no agent can begin before its body is whole. */
async function longTask(session: Session) {
  const { input } = (await session.reference()).task
  return { unfinished: true, task_id: await session.newId(), input: `${input} `.repeat(100) }
}
