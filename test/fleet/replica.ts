/** A replica that stops at the moments which no model and no tool can show, until `POINTS_URL` lets it go on. */
import { RedisLease } from '../../src/fleet/redis-lease.ts'
import { RedisLedger } from '../../src/fleet/redis-ledger.ts'
import { runProcess } from '../../src/process.ts'

const { POINTS_URL } = process.env
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

await runProcess(process.env, { port: 0, hostname: '127.0.0.1' })
