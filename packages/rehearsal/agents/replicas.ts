import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { logStream } from './log-sources.ts'
import { examined, ownAgentId, type Planted } from './own-agent.ts'
import { freePort } from './owned-process.ts'
import { type Replica, type Replicas, startAgent } from './start-agent.ts'

/** How much earlier than its end is known a process may close its connections, in milliseconds. */
const CLOSING_MS = 1_000

interface ReplicasOptions {
  readonly count: number
  /** A program and its arguments, to which the port is added. */
  readonly command: readonly string[]
  /** A new file for their log, without secrets. */
  readonly logFile: string
  /** Called with a sentence for each end that was not asked for. */
  readonly tell: (sentence: string) => void
}

/**
 * Starts this project's agent as several processes, each on a free port. One that ends is started again.
 *
 * @param planted with `REDIS_URL`
 * @throws {StartError}
 */
export async function startReplicas({ variables }: Planted, options: ReplicasOptions) {
  const { count, command, logFile, tell } = options
  const id = ownAgentId(variables)
  const environment = { ...variables, AGENT_ID: id }
  const log = logStream('the output of the replicas')
  const ending = new AbortController()
  const { signal } = ending
  const shared = { environment, logFile, log, signal }
  const running = new Set<Replica>()
  const starts = new Map<number, Promise<void>>()
  let current: Replica | undefined

  async function start(number: number, port: number): Promise<void> {
    const url = `http://127.0.0.1:${port}`
    const started = await startAgent({ ...shared, command: [...command, `${port}`], url })
    const { kill, end, ended } = started
    const replica = { number, url, start: examined(started), kill, end, ended }
    running.add(replica)
    void ended.then(how => {
      running.delete(replica)
      if (signal.aborted) return
      tell(`replica ${number} of ${id} ended with ${how}, and is started again`)
      begin(number, port).catch((error: Error) => {
        if (!signal.aborted) tell(`replica ${number} of ${id}: ${error.message}`)
      })
    })
  }

  function begin(number: number, port: number): Promise<void> {
    const started = start(number, port)
    starts.set(number, started)
    return started
  }

  async function end(): Promise<void> {
    ending.abort()
    await Promise.allSettled(starts.values())
    await Promise.all([...running].map(replica => replica.end()))
  }

  const replicas: Replicas = {
    get current() {
      if (current === undefined || !running.has(current))
        current = [...running].sort((one, other) => one.number - other.number)[0] ?? current
      return current!
    },
    async after(lost) {
      await Promise.race([lost.ended, sleep(CLOSING_MS)])
      if (running.has(lost)) return undefined
      if (running.size === 0) await Promise.any(starts.values()).catch(() => undefined)
      return running.size === 0 ? undefined : replicas.current
    },
  }

  rmSync(logFile, { force: true })
  const ports = await Promise.all(Array.from({ length: count }, freePort))
  const all = await Promise.allSettled(ports.map((port, index) => begin(index + 1, port)))
  const failed = all.find(({ status }) => status === 'rejected')
  if (failed) {
    await end()
    throw (failed as PromiseRejectedResult).reason
  }
  return {
    id,
    token: variables.AGENT_TOKENS,
    replicas,
    get url() {
      return replicas.current.url
    },
    end,
  }
}
