import { describeLedger } from '@agent-task-service/test-support/ledger-contract'
import { testService } from '@agent-task-service/test-support/service'
import { createMask } from '@agent-task-service/wire/masking'
import { onTestFinished } from 'vitest'
import { RedisLedger } from '../../packages/share/redis-ledger.ts'
import { startRedis } from './redis.ts'

const mask = createMask([])
const { log } = await testService()

describeLedger('two replicas and a Redis', {
  async open(env, model) {
    const redis = await startRedis()
    const place = async () => {
      const service = await testService({ ...env, REDIS_URL: redis.url }, { models: [model.named()] })
      onTestFinished(() => service.close(0))
      return service
    }
    const [first, second] = await Promise.all([place(), place()])
    const joined = async () => {
      for (;;) {
        const keys = await redis.client.keys('agent-task:agent-1:*')
        const fields = await Promise.all(keys.map(key => redis.client.hkeys(key)))
        if (fields.flat().some(field => field.startsWith('c:'))) return
      }
    }
    return { first, second, joined }
  },
  async ledger(replayTtlMs) {
    const { port } = await startRedis()
    return await RedisLedger.open({
      settings: { host: '127.0.0.1', port, db: 0 },
      agentId: 'agent-1',
      agentDigest: 'digest',
      replayTtlMs,
      journal: 'on',
      replicas: 0,
      mask,
      log,
    })
  },
})
