import type { Exchange } from '../../agents/exchange.ts'
import { healthViolations } from '../../agents/violations.ts'
import { curl } from '../../curl.ts'
import { inSeconds } from '../../figures.ts'
import { advice, type Check, type CheckGroup, check } from '../check.ts'
import { expectHttp200, expectHttp200Each, expectStillHealthy, identityOf } from '../parts/still-healthy.ts'
import { replyObject } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed, NotRun } from '../verdicts.ts'

/** Polling stops after this many polls in a row without a reply. */
const GIVE_UP_AFTER = 3

export const health: CheckGroup = {
  id: 'health',
  title: 'The agent answers /health',
  how: ({ url }) => curl({ url, path: '/health' }),
  load: ({ limits: { bursts } }) => ({ alone: bursts, beside: 0 }),
  // Before the first run, which may be what ends an agent.
  before: session => session.once(pollAll),
  checks,
}

function checks(session: Session): readonly Check[] {
  const all = () => session.once(pollAll)
  const first = async () => (await all())[0]!
  /** How the replies violate the contract. */
  const violations = async () => {
    const answered = (await all()).filter(({ status, failure }) => status === 200 && failure === null)
    if (answered.length === 0) throw new NotRun('there was no reply to examine')
    return [...new Set(answered.flatMap(healthViolations))]
  }
  const { healthPolls, healthTimeoutMs, burst, refusalMs } = session.limits
  const { agentId } = session.options
  const limit = inSeconds(healthTimeoutMs)
  const run = session.curlFirst().replace('-sS -i', '-s -o /dev/null')
  const loaded = `for i in $(seq ${burst}); do ${run} & done; curl -sS -i -m 5 ${session.url}/health; wait`
  const shape = (name: string, title: string, member: string): Check =>
    check(`health.${name}`, title, async () =>
      expectNone((await violations()).filter(problem => problem.startsWith(member))),
    )
  const expected = check('health.expected_id', `\`agent_id\` is ${agentId}, as requested`, async () => {
    const body = replyObject(await first())
    if (body === undefined) throw new NotRun('there was no reply to examine')
    if (body.agent_id !== agentId)
      throw new Failed(`expected ${agentId}, got ${JSON.stringify(body.agent_id)}`)
  })
  return [
    check('health.answers', `GET /health returns HTTP 200 within ${limit}`, async () =>
      expectHttp200(await first(), ` within ${limit}`),
    ),
    advice('health.without_token', 'GET /health needs no token', async () => {
      if ((await first()).failure !== null) throw new NotRun('there was no reply to examine')
      if (session.calls.healthNeedsToken)
        throw new Failed('expected an answer without Authorization, got 401 or 403')
    }),
    shape('content_type', 'The Content-Type is JSON', 'Content-Type'),
    shape('json', 'The body is a JSON object', 'body'),
    shape('status', '`status` is "ok"', 'status'),
    check(
      'health.status_under_load',
      `\`status\` is "ok" even during ${burst} runs: a busy agent is healthy`,
      async () => {
        session.how = loaded
        const isOfStatus = (problem: string) => problem.startsWith('status')
        if ((await violations()).some(isOfStatus)) throw new NotRun('it is never "ok"')
        const answered = (await session.burst()).polls.filter(({ status }) => status === 200)
        expectNone([...new Set(answered.flatMap(healthViolations).filter(isOfStatus))])
      },
    ),
    shape('agent_id', '`agent_id` has the shape agent-<number>', 'agent_id'),
    shape('agent_name', '`agent_name` is a non-blank string', 'agent_name'),
    ...(agentId === undefined ? [] : [expected]),
    check('health.latency', `Each of ${healthPolls} polls returns within ${limit}`, async () =>
      expectHttp200Each(await all()),
    ),
    check('health.identity', 'Every poll names the same agent', async () => {
      const seen = new Set((await all()).flatMap(identityOf))
      if (seen.size === 0) throw new NotRun('no poll named an agent')
      if (seen.size > 1) throw new Failed(`expected one agent, got ${[...seen].join(' and ')}`)
    }),
    check(
      'health.under_load',
      `During ${burst} runs, each poll returns HTTP 200 within ${limit}`,
      async () => {
        session.how = loaded
        expectHttp200Each((await session.burst()).polls)
      },
    ),
    check('health.after_errors', 'After requests that are not JSON, /health answers as before', async () => {
      session.how = `${curl({ url: session.url, path: '/run', body: '{"task_id":' })}; curl -sS -i ${session.url}/health`
      for (const body of ['{"task_id":', 'no JSON', '']) {
        // The poll shows what such a request does to the agent.
        await session.calls.post(body, { timeoutMs: refusalMs }).catch(() => {})
      }
      await expectStillHealthy(session)
    }),
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
