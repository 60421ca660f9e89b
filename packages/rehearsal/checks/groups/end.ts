import { setTimeout as sleep } from 'node:timers/promises'
import { AgentClient } from '../../agents/agent-client.ts'
import { healthViolations, runViolations } from '../../agents/violations.ts'
import { inSeconds } from '../../figures.ts'
import { CHECKS } from '../../program.ts'
import { searcher } from '../../secrets.ts'
import { advice, type Check, type CheckGroup, check } from '../check.ts'
import { expectNoLeak, readLog } from '../parts/leaks.ts'
import { plantAndRead } from '../parts/planted-secrets.ts'
import { replyObject } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed } from '../verdicts.ts'

const STALLED = { task_id: 'test-1', input: 'What do you think of the sea?' }
/** By then the run is waiting for its model. */
const STALLED_MS = 500

/** For an agent that the checks start and stop themselves. */
export const end: CheckGroup = {
  id: 'end',
  title: 'Shutdown',
  how: ({ options }) =>
    `${CHECKS} URL --start COMMAND${options.startStalled ? ' --stall OPENAI_BASE_URL' : ''}`,
  checks: session => {
    const { start, startStalled } = session.options
    const endAgent = start?.end
    if (start === undefined || endAgent === undefined) return []
    const end = async () => {
      // The log is searched for what was planted before.
      await session.once(plantAndRead).catch(() => {})
      return await session.once(endAgent)
    }
    return [
      advice('end.sigterm', 'The agent exits on SIGTERM', async () => {
        const { clean, how } = await end()
        if (!clean) throw new Failed(`expected it to exit, but ${how}`)
      }),
      check('end.log', 'The log lines of the shutdown hold no secret', async () => {
        const { text, planted } = await session.once(plantAndRead)
        const mustKeep = [...planted].filter(([{ advisory }]) => !advisory).flatMap(([, secrets]) => secrets)
        await end()
        // The checks of the log report secrets that it held before.
        const search = searcher(text)
        const others = [...start.secrets, ...mustKeep].filter(([, secret]) => search(secret) === undefined)
        expectNoLeak(await readLog(session), others)
      }),
      ...(startStalled === undefined ? [] : ofStalled(session, end)),
    ]
  },
}

/** What the agent does with a model that never answers. */
function ofStalled(session: Session, end: () => Promise<unknown>): Check[] {
  const stalled = (name: string, title: string, problems: (seen: Stalled) => readonly string[]): Check =>
    check(`end.${name}`, `If the model never answers, ${title}`, async () => {
      await end()
      expectNone(problems(await session.once(runStalled)))
    })
  const limit = inSeconds(session.limits.runTimeoutMs)
  return [
    stalled('gives_up', `a run ends within ${limit}, with status "timeout" or "error"`, ({ exchange }) => {
      const { failure, status } = exchange
      if (failure !== null) return [`expected a reply, but ${failure.message}`]
      const reply = replyObject(exchange) ?? {}
      const hasGivenUp = status === 200 && ['timeout', 'error'].includes(String(reply.status))
      return hasGivenUp ? [] : [`got HTTP ${status} with ${JSON.stringify(reply).slice(0, 200)}`]
    }),
    stalled('gives_up_shape', 'the reply has the shape of a run response', ({ exchange }) =>
      exchange.failure === null ? runViolations(exchange, { taskId: STALLED.task_id }) : [],
    ),
    stalled('gives_up_health', '/health answers meanwhile as before', ({ poll }) => healthViolations(poll)),
  ]
}

type Stalled = Awaited<ReturnType<typeof runStalled>>

async function runStalled({ url, options, limits, calls }: Session) {
  const stalled = await options.startStalled!()
  try {
    // The time left for all checks does not matter here.
    const client = new AgentClient({ url, token: options.token })
    const { signal } = options
    const running = calls.fairly(() => client.run(STALLED, { timeoutMs: limits.runTimeoutMs, signal }))
    running.catch(() => {})
    await Promise.race([running, sleep(STALLED_MS)])
    const poll = await calls.fairly(() => client.health({ timeoutMs: limits.healthTimeoutMs, signal }))
    return { exchange: await running, poll }
  } finally {
    await stalled.end()
  }
}
