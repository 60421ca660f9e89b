import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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

/** No disk, and a replica gets a copy at once. */
const QUICK = ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0']

/** Debian's redis-server on some loopback port, without a disk unless `args` say otherwise; stops with the test. */
export async function startRedis(args: readonly string[] = [], login: RedisOptions = {}): Promise<TestRedis> {
  const [port, folder] = [await heldPort(), await emptyFolder()]
  const where = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder]
  const start = () => startServer([...where, ...QUICK, ...args], 'Ready to accept connections')
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

/** One more, which has what the primary has once this resolves. */
export async function startReplicaOf({ port }: { readonly port: number }): Promise<TestRedis> {
  const replica = await startRedis(['--replicaof', `127.0.0.1 ${port}`])
  await hasCopy(replica)
  return replica
}

/** The primary that a Sentinel of these tests watches. */
export const PRIMARY = 'mymaster'

/** A Sentinel that promotes a replica soon after the primary is gone; stops with the test. @returns its port */
export async function startSentinel(primary: TestRedis): Promise<number> {
  const [port, folder] = [await heldPort(), await emptyFolder()]
  const file = join(folder, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${PRIMARY} 127.0.0.1 ${primary.port} 1`,
    `sentinel down-after-milliseconds ${PRIMARY} 500`,
    `sentinel failover-timeout ${PRIMARY} 3000`,
  ]
  await writeFile(file, lines.join('\n'))
  await startServer([file, '--sentinel'], '+monitor')
  return port
}

/** A Cluster of three primaries, the first of which has a replica; stops with the test. */
export async function startCluster(): Promise<readonly [TestRedis, ...TestRedis[]]> {
  const nodes = (await Promise.all([1, 2, 3, 4].map(startNode))) as [TestRedis, ...TestRedis[]]
  const [first, ...others] = nodes
  const busPort = async ({ client }: TestRedis) => (await client.config('GET', 'cluster-port')) as string[]
  for (const [nth, { client }] of nodes.slice(0, 3).entries()) {
    const [from, to] = [Math.ceil((nth * 16_384) / 3), Math.ceil(((nth + 1) * 16_384) / 3) - 1]
    await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to)
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', nth + 1)
  }
  for (const other of others)
    await first.client.call('CLUSTER', 'MEET', '127.0.0.1', other.port, (await busPort(other))[1]!)
  const replica = others.at(-1)!
  const id = (await first.client.call('CLUSTER', 'MYID')) as string
  const tells = async ({ client }: TestRedis, what: 'INFO' | 'NODES', words: RegExp) =>
    words.test((await client.call('CLUSTER', what)) as string)
  const each = async (what: 'INFO' | 'NODES', words: RegExp) => {
    for (const node of nodes) while (!(await tells(node, what, words))) await sleep(20)
  }
  await each('INFO', /cluster_state:ok/)
  await each('INFO', /cluster_known_nodes:4/)
  await replica.client.call('CLUSTER', 'REPLICATE', id)
  await each('NODES', new RegExp(`slave ${id}`))
  await hasCopy(replica)
  return nodes
}

async function startNode(): Promise<TestRedis> {
  const node = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '500']
  return await startRedis([...node, '--cluster-port', `${await heldPort()}`])
}

/** Resolves once a replica has what its primary has. */
export async function hasCopy({ client }: TestRedis): Promise<void> {
  while (!(await client.info('replication')).includes('master_link_status:up')) await sleep(10)
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** @param ready what it says once it is */
async function startServer(args: readonly string[], ready: string): Promise<ChildProcess> {
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => reject(new Error(`redis-server ended with ${code}: ${said}`)))
    child.stdout.on('data', chunk => {
      said += String(chunk)
      if (said.includes(ready)) resolve()
    })
  })
  return child
}
