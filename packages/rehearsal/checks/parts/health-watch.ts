import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../../agents/exchange.ts'
import { inSeconds } from '../../figures.ts'
import { type Check, check } from '../check.ts'
import type { Session } from '../session/session.ts'
import { NotRun } from '../verdicts.ts'
import { expectHttp200Each } from './still-healthy.ts'

/** The orchestrator asks every 30 s: the checks take less. */
const EVERY_MS = 1_000

/** What `/health` answers while the checks run, whatever they ask of the agent. */
export function healthWatch(session: Session): Check {
  const limit = inSeconds(session.limits.healthTimeoutMs)
  return check(
    'limits.health',
    `While these checks ran, each poll of /health, one a second, returned HTTP 200 within ${limit}`,
    async () => {
      session.how = `while sleep 1; do curl -sS -i -m ${session.limits.healthTimeoutMs / 1000} ${session.url}/health; done`
      const polls = await (await session.once(watchHealth))()
      if (polls.length === 0) throw new NotRun('no poll was made')
      expectHttp200Each(polls)
    },
  )
}

/** Polls until the function that it returns is called, which returns the answers, or the checks are over. */
export async function watchHealth(session: Session): Promise<() => Promise<readonly Exchange[]>> {
  const { calls } = session
  const polls: Exchange[] = []
  const stop = new AbortController()
  const watching = async () => {
    while (!stop.signal.aborted && !session.isOver && calls.end === undefined) {
      // On a busy machine a late answer says nothing.
      const poll = await calls.fairly(() => calls.client.health(calls.healthCall())).catch(() => undefined)
      if (poll && poll.failure?.kind !== 'aborted') polls.push(poll)
      await sleep(EVERY_MS, undefined, { signal: stop.signal }).catch(() => {})
    }
  }
  const watch = watching()
  return async () => {
    stop.abort()
    await watch
    return polls
  }
}
