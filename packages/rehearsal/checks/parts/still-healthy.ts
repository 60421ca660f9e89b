import type { Exchange } from '../../agents/exchange.ts'
import { healthViolations } from '../../agents/violations.ts'
import { inSeconds } from '../../figures.ts'
import { replyObject, wrongCode } from '../session/replies.ts'
import type { Session } from '../session/session.ts'
import { expectNone, Failed } from '../verdicts.ts'

/** @throws Failed if a request does not get HTTP 200 */
export function expectHttp200({ status, failure }: Exchange, within = ''): void {
  if (failure !== null) throw new Failed(`expected a reply${within}, but ${failure.message}`)
  if (status !== 200) throw new Failed(wrongCode(status))
}

/** @throws Failed if a poll did not get HTTP 200 in time */
export function expectHttp200Each(polls: readonly Exchange[]): void {
  const others = polls.filter(({ status, failure }) => failure !== null || status !== 200)
  if (others.length === 0) return
  const kinds = new Set(others.map(({ status, failure }) => failure?.message ?? `HTTP ${status}`))
  const slowest = inSeconds(Math.max(...polls.map(({ wallMs }) => wallMs)))
  throw new Failed(
    `expected HTTP 200 from each of ${polls.length} polls, but ${others.length} ended otherwise: ${[...kinds].join(', ')}; the slowest took ${slowest}`,
  )
}

/**
 * Polls `/health` again, after something that must not change its answer.
 *
 * @throws Failed if it gets no answer, or one with new violations
 */
export async function expectStillHealthy({ calls }: Session): Promise<void> {
  const before = [...calls.polls]
  const poll = await calls.health()
  expectHttp200(poll)
  const known = before.flatMap(healthViolations)
  const names = [...new Set(before.flatMap(identityOf))]
  const others = names.length === 1 ? identityOf(poll).filter(name => name !== names[0]) : []
  expectNone([
    ...healthViolations(poll).filter(problem => !known.includes(problem)),
    ...others.map(name => `expected the agent ${names}, got ${name}`),
  ])
}

/** Who answered; empty if it is not a health response. */
export function identityOf(poll: Exchange): string[] {
  const body = replyObject(poll)
  return body === undefined || poll.status !== 200 ? [] : [JSON.stringify([body.agent_id, body.agent_name])]
}
