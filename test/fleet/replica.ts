/**
 * A replica with hooks for the tests: it stops at moments that neither model nor tool can show, until `POINTS_URL` lets
 * it continue.
 */

import { runProcess } from '@agent-task-service/engine/process'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { RedisLease } from '../../packages/share/redis-lease.ts'
import { RedisLedger } from '../../packages/share/redis-ledger.ts'

const { POINTS_URL } = process.env

if (POINTS_URL) {
  const reach = (point: string) => fetch(`${POINTS_URL}/${point}`)
  const { claim } = RedisLedger.prototype
  RedisLedger.prototype.claim = async function (...args) {
    const claimed = await claim.apply(this, args)
    if (claimed.kind === 'run') await reach('claimed')
    return claimed
  }
  const { finish } = RedisLease.prototype
  RedisLease.prototype.finish = async function (response) {
    await reach('before-stored')
    const stands = await finish.call(this, response)
    await reach('stored')
    return stands
  }
}

await runProcess(agent, process.env, { port: 0, hostname: '127.0.0.1' })
