import { randomBytes } from 'node:crypto'
import { type Environment, StartError } from '../command-line.ts'
import { logStream } from './log-sources.ts'
import { freePort, startOwned } from './owned-process.ts'

const PATIENCE_MS = 10_000
const IS_READY = /Ready to accept connections/

/**
 * Starts the `redis-server` of this machine: on the loopback interface, with a password, and with nothing on disk. It ends with this
 * process.
 *
 * @throws {StartError} if there is none, or it does not start
 */
export async function startRedis(env: Environment) {
  const port = await freePort()
  const password = randomBytes(24).toString('hex')
  const settings = ['bind 127.0.0.1', `port ${port}`, `requirepass ${password}`, 'save ""', 'appendonly no']
  // On its standard input, since every user of the machine can read arguments.
  const { stdout, stderr, ended, end } = startOwned(
    'redis-server',
    ['-'],
    { PATH: env.PATH },
    settings.join('\n'),
  )
  const log = logStream('the output of redis-server', stdout, stderr)
  const ready = new Promise<undefined>(resolve => {
    stdout.on('data', async () => IS_READY.test(await log.read()) && resolve(undefined))
  })
  const how = await Promise.race([ready, ended])
  if (how !== undefined) {
    const got = `got no REDIS_URL, and of redis-server: ${how} ${(await log.read()).trim()}`
    throw new StartError(`--replicas: expected a Redis in REDIS_URL, or redis-server in PATH, ${got}`)
  }
  return { url: `redis://:${password}@127.0.0.1:${port}/0`, end: () => end(PATIENCE_MS) }
}
