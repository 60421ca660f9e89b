/**
 * A replica with hooks for the tests: it stops at moments that neither model nor tool can show, until `POINTS_URL` lets
 * it continue, and on SIGUSR2 reports how long its own work has kept others waiting since the last report.
 */
import { RedisLease } from '../../src/fleet/redis-lease.ts'
import { RedisLedger } from '../../src/fleet/redis-ledger.ts'
import { runProcess } from '../../src/process.ts'

const TICK_MS = 5

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

/** For each tick, the milliseconds this process was busy and so did not handle what had arrived. */
let ticks: number[] = []
let told = 0
let [at, used] = [performance.now(), process.cpuUsage()]
setInterval(() => {
  const { user, system } = process.cpuUsage(used)
  // The rest of a long tick went to other processes.
  ticks.push(Math.min(performance.now() - at, (user + system) / 1000))
  ;[at, used] = [performance.now(), process.cpuUsage()]
}, TICK_MS)
process.on('SIGUSR2', () => {
  told += 1
  process.stdout.write(`${JSON.stringify({ msg: 'at work', told, ticks: ticks.map(Math.round) })}\n`)
  ticks = []
})

await runProcess(process.env, { port: 0, hostname: '127.0.0.1' })
