import { AgentClient } from '../../agents/agent-client.ts'
import { inSeconds } from '../../figures.ts'
import { searcher } from '../../secrets.ts'
import type { CheckGroup } from '../check.ts'
import { expectNoLeak } from '../parts/leaks.ts'
import { plantAndRead, readLog } from '../parts/planted-secrets.ts'
import { words } from '../parts/words.ts'
import { objectIn } from '../session/replies.ts'
import { Failed, NotRun } from '../verdicts.ts'

const START_IT = 'npm run staging:check -- URL --start COMMAND'

/** For an agent that the checks start and stop themselves. */
export const end: CheckGroup = {
  id: 'end',
  title: 'Shutdown',
  checks: session => {
    const { options, limits } = session
    const { start, startStalled } = options
    const endAgent = start?.end
    if (start === undefined || endAgent === undefined) return []
    const end = () => session.once(endAgent)
    return [
      {
        id: 'end.sigterm',
        title: 'The agent exits on SIGTERM',
        advisory: true,
        why: words.end,
        how: START_IT,
        look: async () => {
          const { clean, how } = await end()
          if (!clean) throw new Failed(`expected it to exit, but ${how}`)
        },
      },
      {
        id: 'end.log',
        title: 'The log lines of the shutdown hold no secret',
        why: words.secrets,
        how: START_IT,
        look: async () => {
          const { text, planted } = await session.once(plantAndRead)
          const mustKeep = [...planted]
            .filter(([{ advisory }]) => !advisory)
            .flatMap(([, secrets]) => secrets)
          await end()
          // The checks of the log report secrets that it held before.
          const search = searcher(text)
          const others = [...start.secrets, ...mustKeep].filter(([, secret]) => search(secret) === undefined)
          expectNoLeak(await readLog(session), others)
        },
      },
      {
        id: 'end.gives_up',
        title: `If the model never answers, a run ends within ${inSeconds(limits.runTimeoutMs)}, with status "timeout" or "error"`,
        advisory: true,
        why: words.runTimeout,
        how: `${START_IT} --stall OPENAI_BASE_URL`,
        look: async () => {
          if (startStalled === undefined) {
            throw new NotRun('needs the variable that holds the address of its model: --stall NAME')
          }
          await end()
          const stalled = await startStalled()
          try {
            // The time left for all checks does not matter here.
            const client = new AgentClient({ url: session.url, token: options.token })
            const task = { task_id: 'test-1', input: 'What do you think of the sea?' }
            const { signal } = options
            const exchange = await client.run(task, { timeoutMs: limits.runTimeoutMs, signal })
            const { failure, status } = exchange
            const reply = objectIn(exchange) ?? {}
            if (failure !== null) throw new Failed(`expected a reply, but ${failure.message}`)
            const hasGivenUp = status === 200 && (reply.status === 'timeout' || reply.status === 'error')
            if (!hasGivenUp)
              throw new Failed(`got HTTP ${status} with ${JSON.stringify(reply).slice(0, 200)}`)
          } finally {
            await stalled.end()
          }
        },
      },
    ]
  },
}
