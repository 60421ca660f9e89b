import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { Redis, type RedisOptions } from 'ioredis'
import { onTestFinished } from 'vitest'

export interface TestRedis {
  readonly url: string
  readonly port: number
  /** A connection for the test itself. */
  readonly client: Redis
  /** The id of the current process. */
  readonly child: ChildProcess
  /** Kills it at once. */
  kill(): Promise<void>
  /** Restarts it on the same port, empty. */
  restart(): Promise<void>
}

/** Debian's redis-server on some loopback port, without a disk unless `args` say otherwise; stops with the test. */
export async function startRedis(args: readonly string[] = [], login: RedisOptions = {}): Promise<TestRedis> {
  const port = await heldPort()
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const start = async () => {
    const child = spawn(
      'redis-server',
      [
        '--port',
        `${port}`,
        '--bind',
        '127.0.0.1',
        '--dir',
        folder,
        '--save',
        '',
        '--appendonly',
        'no',
        ...args,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    onTestFinished(() => void child.kill('SIGKILL'))
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', code => reject(new Error(`redis-server ended with ${code}: ${said}`)))
      child.stdout.on('data', chunk => {
        said += String(chunk)
        if (said.includes('Ready to accept connections')) resolve()
      })
    })
    return child
  }
  let child = await start()
  const client = new Redis({ port, retryStrategy: () => 100, maxRetriesPerRequest: null, ...login })
  client.on('error', () => undefined)
  onTestFinished(() => client.disconnect())
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    get child() {
      return child
    },
    async kill() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async restart() {
      child = await start()
    },
  }
}
