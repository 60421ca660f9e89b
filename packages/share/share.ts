import { oneOf, secret } from '@agent-task-service/engine/settings'
import type { Share } from '@agent-task-service/engine/share'
import { passwordsOfUrls } from '@agent-task-service/wire/masking'
import { z } from 'zod'
import { redisUrl } from './redis-url.ts'

const variables = z.object({
  // An answer may name the host.
  REDIS_URL: secret(redisUrl, passwordsOfUrls)
    .optional()
    .describe(
      'Redis or Valkey through which replicas share tasks, `redis://` or `rediss://` (TLS); unset: nothing is shared. See docs/guides/deployment.md',
    ),
  EFFECT_JOURNAL: oneOf(['on', 'off'])
    .default('on')
    .describe(
      'With `REDIS_URL`: `on` records what tools with side effects have done, so that a task taken over does not do it again; `off` ends such a task. See docs/reference/fleet.md',
    ),
  STEP_JOURNAL: oneOf(['on', 'off'])
    .default('on')
    .describe(
      'With `REDIS_URL` and `EFFECT_JOURNAL=on`: `on` records what the steps of a run have brought, so that a replica that takes it over does not pay for them again; `off` begins it anew. See docs/reference/fleet.md',
    ),
})

/**
 * Tasks shared with other replicas through the Redis of `REDIS_URL`.
 *
 * @example
 * defineAgent({ …, share: redis() })
 */
export function redis(): Share<typeof variables> {
  return {
    variables,
    async open({ REDIS_URL: settings, EFFECT_JOURNAL, STEP_JOURNAL }, { agent, ...host }) {
      if (!settings) return undefined
      const { RedisLedger } = await import('./redis-ledger.ts')
      if (agent.hasDefaultId)
        host.log.warn(
          `AGENT_ID is not set, so it is ${agent.id}: agents that share a Redis need an id of their own`,
        )
      const hasJournal = EFFECT_JOURNAL === 'on'
      return await RedisLedger.open({
        ...host,
        settings,
        agentId: agent.id,
        agentDigest: agent.digest(),
        hasJournal,
        hasStepJournal: hasJournal && STEP_JOURNAL === 'on',
      })
    },
  }
}
