import { oneOf, secret, wholeNumber } from '@agent-task-service/engine/settings'
import type { Problem, Share } from '@agent-task-service/engine/share'
import { passwordsOfUrls } from '@agent-task-service/wire/masking'
import { z } from 'zod'
import { redisUrl } from './redis-url.ts'

const variables = z.object({
  // An answer may name the host.
  REDIS_URL: secret(redisUrl, passwordsOfUrls)
    .optional()
    .describe(
      'Redis or Valkey through which replicas share tasks: `redis://`, `redis+sentinel://` or `redis+cluster://`, with `rediss` for TLS. See docs/guides/deployment.md',
    ),
  REDIS_REPLICAS: wholeNumber(0, 10)
    .default(0)
    .describe(
      'How many replicas of Redis must have the record of a call with side effects before it begins. See docs/reference/fleet.md',
    ),
  JOURNAL: oneOf(['on', 'effects', 'off'])
    .default('on')
    .describe(
      'What Redis records of a run for a replica that takes it over. `on`: all calls, and it goes on; `effects`: those with side effects, and it begins anew without repeating them; `off`: a task that had such a call ends. See docs/reference/fleet.md',
    ),
})

/** Variables that no longer exist, with what to write in place of `off`. */
const REPLACED = { EFFECT_JOURNAL: 'JOURNAL=off', STEP_JOURNAL: 'JOURNAL=effects' }

/**
 * Tasks shared with other replicas through the Redis of `REDIS_URL`.
 *
 * @example
 * defineAgent({ …, share: redis() })
 */
export function redis(): Share<typeof variables> {
  return {
    variables,
    read(_given, environment) {
      const problems = Object.entries(REPLACED).flatMap(([name, off]): Problem[] => {
        const value = environment[name]?.trim()
        const instead = value === 'off' ? off : 'JOURNAL=on'
        return value ? [[name, `expected ${instead} in its place, got ${JSON.stringify(value)}`]] : []
      })
      return { problems }
    },
    async open({ REDIS_URL: settings, REDIS_REPLICAS: replicas, JOURNAL }, { agent, ...host }) {
      if (!settings) return undefined
      const { RedisLedger } = await import('./redis-ledger.ts')
      if (agent.hasDefaultId)
        host.log.warn(
          `AGENT_ID is not set, so it is ${agent.id}: agents that share a Redis need an id of their own`,
        )
      return await RedisLedger.open({
        ...host,
        settings,
        replicas,
        agentId: agent.id,
        agentDigest: agent.digest(),
        journal: JOURNAL,
      })
    },
  }
}
