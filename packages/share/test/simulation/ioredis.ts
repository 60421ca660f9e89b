/** Stands for ioredis: `hooks.ts` puts it in its place in a simulation, `vitest.config.ts` in tests. */
import { SimulatedClient, type SimulatedRedis } from './redis.ts'

/** The Redis to which clients connect. */
export const target: { redis?: SimulatedRedis } = {}

export class ReplyError extends Error {}

export class Redis extends SimulatedClient {
  constructor() {
    if (!target.redis) throw new Error('expected a simulated Redis, got none')
    super(target.redis)
  }
}
