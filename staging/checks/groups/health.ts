import type { Exchange } from '../../agents/exchange.ts'
import { healthViolations } from '../../agents/violations.ts'
import { curl } from '../../curl.ts'
import { inSeconds } from '../../figures.ts'
import type { Check, CheckGroup } from '../check.ts'
import { expectAnswer, expectStillHealthy, identityOf } from '../parts/still-healthy.ts'
import { words } from '../parts/words.ts'
import { objectIn } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, NotRun } from '../verdicts.ts'

/** Polling stops after this many polls in a row without a reply. */
const GIVE_UP_AFTER = 3

export const health: CheckGroup = {
  id: 'health',
  title: 'The agent answers /health',
  checks,
}

function checks(session: Session): readonly Check[] {
  const all = () => session.once(pollAll)
  const first = async () => (await all())[0]!
  /** How the replies violate the interface. */
  const violations = async () => {
    const answered = (await all()).filter(({ status, failure }) => status === 200 && failure === null)
    if (answered.length === 0) throw new NotRun('there was no reply to examine')
    return [...new Set(answered.flatMap(healthViolations))]
  }
  const { healthPolls, healthTimeoutMs, burst, refusalMs } = session.limits
  const { agentId } = session.options
  const how = curl({ url: session.url, path: '/health' })
  const limit = inSeconds(healthTimeoutMs)
  const repeated = (what: string) =>
    `for i in $(seq ${healthPolls}); do curl ${what} ${session.url}/health; done`
  const run = session.curlFirst().replace('-sS -i', '-s -o /dev/null')
  const loaded = `for i in $(seq ${burst}); do ${run} & done; curl -sS -i -m 5 ${session.url}/health; wait`
  const shape = (name: string, title: string, why: string, member: string): Check => ({
    id: `health.${name}`,
    title,
    why,
    how,
    look: async () => expectNone((await violations()).filter(problem => problem.startsWith(member))),
  })
  return [
    {
      id: 'health.answers',
      title: `GET /health returns HTTP 200 within ${limit}`,
      why: words.health,
      how,
      look: async () => expectAnswer(await first(), ` within ${limit}`),
    },
    {
      id: 'health.without_token',
      title: 'GET /health needs no token',
      advisory: true,
      why: words.healthToken,
      how,
      look: async () => {
        const { failure } = await first()
        if (failure !== null) throw new NotRun('there was no reply to examine')
        if (session.calls.healthNeedsToken)
          throw new Failed('expected an answer without Authorization, got 401 or 403')
      },
    },
    shape('content_type', 'The Content-Type is JSON', words.health, 'Content-Type'),
    shape('json', 'The body is a JSON object', words.health, 'body'),
    shape('status', '`status` is "ok"', words.healthStatus, 'status'),
    {
      id: 'health.status_under_load',
      title: `\`status\` is "ok" even during ${burst} runs: a busy agent is healthy`,
      why: words.healthStatus,
      how: loaded,
      look: async () => {
        const isOfStatus = (problem: string) => problem.startsWith('status')
        if ((await violations()).some(isOfStatus)) throw new NotRun('it is never "ok"')
        const answered = (await session.burst()).polls.filter(({ status }) => status === 200)
        expectNone([...new Set(answered.flatMap(healthViolations).filter(isOfStatus))])
      },
    },
    shape('agent_id', '`agent_id` has the shape agent-<number>', words.healthId, 'agent_id'),
    shape('agent_name', '`agent_name` is a non-blank string', words.healthName, 'agent_name'),
    {
      id: 'health.expected_id',
      title: `\`agent_id\` is ${agentId}, as requested`,
      applies: agentId !== undefined,
      why: words.healthId,
      how,
      look: async () => {
        const body = objectIn(await first())
        if (body === undefined) throw new NotRun('there was no reply to examine')
        if (body.agent_id !== agentId)
          throw new Failed(`expected ${agentId}, got ${JSON.stringify(body.agent_id)}`)
      },
    },
    {
      id: 'health.latency',
      title: `Each of ${healthPolls} polls returns within ${limit}`,
      why: words.healthTimeout,
      how: repeated("-so /dev/null -w '%{time_total} s, HTTP %{http_code}\\n'"),
      look: async () => expectAnswers(await all()),
    },
    {
      id: 'health.identity',
      title: 'Every poll names the same agent',
      why: words.healthId,
      how: repeated('-s'),
      look: async () => {
        const seen = new Set((await all()).flatMap(identityOf))
        if (seen.size === 0) throw new NotRun('no poll named an agent')
        if (seen.size > 1) throw new Failed(`expected one agent, got ${[...seen].join(' and ')}`)
      },
    },
    {
      id: 'health.under_load',
      title: `During ${burst} runs, each poll returns HTTP 200 within ${limit}`,
      why: words.healthTimeout,
      how: loaded,
      look: async () => expectAnswers((await session.burst()).polls),
    },
    {
      id: 'health.after_errors',
      title: 'After requests that are not JSON, /health answers as before',
      why: words.healthTimeout,
      how: `${curl({ url: session.url, path: '/run', body: '{"task_id":' })}; ${how}`,
      look: async () => {
        for (const body of ['{"task_id":', 'no JSON', '']) {
          // The poll shows what such a request does to the agent.
          await session.calls.post(body, { timeoutMs: refusalMs }).catch(() => {})
        }
        await expectStillHealthy(session)
      },
    },
  ]
}

/** The polls that several checks examine, done once. */
async function pollAll({ calls, limits }: Session): Promise<Exchange[]> {
  const polls: Exchange[] = []
  const isGivenUp = () =>
    polls.length >= GIVE_UP_AFTER && polls.slice(-GIVE_UP_AFTER).every(({ failure }) => failure !== null)
  while (polls.length < limits.healthPolls && !isGivenUp()) polls.push(await calls.health())
  return polls
}

function expectAnswers(polls: readonly Exchange[]): void {
  const others = polls.filter(({ status, failure }) => failure !== null || status !== 200)
  const problems = others.map(({ status, failure }) => failure?.message ?? `HTTP ${status}`)
  if (problems.length === 0) return
  const slowest = inSeconds(Math.max(...polls.map(({ wallMs }) => wallMs)))
  const kinds = [...new Set(problems)].join(', ')
  throw new Failed(
    `expected HTTP 200 from each of ${polls.length} polls, but ${problems.length} ended otherwise: ${kinds}; the slowest took ${slowest}`,
  )
}
