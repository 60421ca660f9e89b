/** Stands for ioredis in a simulation: `hooks.ts` puts it in its place. */
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
