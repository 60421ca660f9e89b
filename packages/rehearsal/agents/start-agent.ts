import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../command-line.ts'
import { sumOf } from '../figures.ts'
import { HEALTH_TIMEOUT_MS, START_MS } from '../limits.ts'
import { type Busy, OwnDelay } from '../own-delay.ts'
import { CHECKS, IS_IN_PROJECT, STAGING } from '../program.ts'
import { createRedact, secretsIn } from '../redact.ts'
import { fakeSecrets } from '../secrets.ts'
import { AgentClient } from './agent-client.ts'
import { copyLog, type LogSource, logStream } from './log-sources.ts'
import { type AgentEnd, startOwned } from './owned-process.ts'

/** An agent's process with fake secrets in its environment. */
export interface StartedAgent {
  /** Milliseconds from its start to the first good `/health`, or failing that, to the first reply of any status. */
  readonly readyMs: number
  /** Present if this machine was too busy meanwhile to hold that against the agent. */
  readonly busy?: Busy | undefined
  readonly log: LogSource
  /** The secrets in its environment, fake and real, by the names of their variables. */
  readonly secrets: ReadonlyMap<string, string>
  /** Its URLs on this machine's other addresses, which must answer too; may be empty. */
  readonly outsideUrls?: readonly string[]
  /** The bytes of memory that its processes hold; undefined without `/proc`, and if none of them listens, as in a container. */
  memory?(): number | undefined
  /** Stops it with SIGTERM and resolves with its end; absent if it is not ours to stop. */
  end?(): Promise<AgentEnd>
  /** Resolves with how it ended, requested or not: `exit code 1`. */
  readonly ended?: Promise<string>
  /** The end of its log, without secrets. */
  lastWords?(): Promise<string>
}

export type AgentProcess = Awaited<ReturnType<typeof startAgent>>

/** A process of an agent, from its start to its end. */
export interface Replica extends Pick<AgentProcess, 'kill' | 'end' | 'ended'> {
  /** From 1. The process that is started in its place has the same number, and the same URL. */
  readonly number: number
  readonly url: string
  readonly start: StartedAgent
}

/** The processes of an agent that share their tasks. */
export interface Replicas {
  /** The one to which runs go: the same until it ends, then the one with the lowest number. */
  readonly current: Replica
  /** Resolves with the one to which a run goes that has lost its own; undefined if that has not ended, or none is left. */
  after(lost: Replica): Promise<Replica | undefined>
}

/** An agent as given to the platform. */
export interface AgentTarget {
  readonly id: string
  /** Without a path and without credentials. */
  readonly url: string
  /** The agent's own bearer token. */
  readonly token?: string | undefined
  /** Its log file, for the acceptance checks. */
  readonly log?: string | undefined
  /** Name of its container image, for the acceptance checks. */
  readonly image?: string | undefined
  /** Present if the platform started the agent itself; lets the acceptance checks examine more. */
  readonly start?: StartedAgent
  /** Present if it started several processes of it; then `url` is that of the one to which runs go. */
  readonly replicas?: Replicas
}

interface StartOptions {
  /** A command line for the shell, or a program and its arguments. */
  readonly command: string | readonly string[]
  /** Where the agent will answer. */
  readonly url: string
  /** Its environment; fake secrets are added under names unknown to any agent. */
  readonly environment: NodeJS.ProcessEnv
  /** How long it may take to answer `/health`, and later to exit, in milliseconds. Default: 60 s, twice the limit, to tell a slow start from none. */
  readonly patienceMs?: number
  /** A file for the author, with the log without secrets: a new one, or one to which a `log` of others is added. */
  readonly logFile?: string
  /** The log of other processes, to which it adds its own; absent: one of its own. */
  readonly log?: ReturnType<typeof logStream>
  readonly signal?: AbortSignal | undefined
}

const BETWEEN_POLLS_MS = 50
/** Variable names for fake secrets, one for each form. */
const PLANTED = ['API_KEY', 'TOKEN', 'ACCESS_KEY', 'JWT', 'DATABASE_URL', 'PASSWORD', 'SECRET']
const SHOWN_OUTPUT = 1_000
/** A state of a socket in `/proc/net/tcp`. */
const LISTENS = '0A'
const PAGE_BYTES = 4_096

/**
 * Starts an agent as a process, with fake secrets in its environment, and waits for `/health` to answer 200; once time is up,
 * anything that accepts connections will do.
 *
 * @throws StartError whose message quotes the agent's last lines
 */
export async function startAgent(options: StartOptions) {
  const { command, url, environment, patienceMs = 2 * START_MS, logFile, signal } = options
  const { log = logStream('the output of the started agent') } = options
  await expectFree(url)
  if (logFile !== undefined && options.log === undefined) rmSync(logFile, { force: true })
  const planted = fakeSecrets().map((secret, index) => [`REHEARSAL_${PLANTED[index]}`, secret])
  const fakes: Record<string, string> = Object.fromEntries(planted)
  const secrets = new Map([...Object.entries(fakes), ...secretsIn(environment)])
  const redact = createRedact([...secrets.values()]).text
  const [program = '', ...args] = typeof command === 'string' ? ['sh', '-c', command] : command
  const owned = startOwned(program, args, { ...environment, ...fakes })
  const { stdout, stderr, ended, kill } = owned
  log.add(stdout)
  log.add(stderr)
  if (logFile !== undefined) copyLog(logFile, redact, stdout, stderr)
  const lastWords = async () => redact((await log.read()).trim()).slice(-SHOWN_OUTPUT) || 'nothing'
  const end = () => owned.end(patienceMs)

  const isOver = () => owned.how !== undefined || signal?.aborted === true
  const { result: readyMs, busy } = await new OwnDelay().during(isBusy =>
    timeUntilReady(options, () => (isBusy() ? BUSY_PATIENCE : 1) * patienceMs, isOver),
  )
  if (readyMs === undefined) {
    const late = signal?.aborted ? 'the checks were stopped before it answered' : undefined
    const within = busy
      ? `${(BUSY_PATIENCE * patienceMs) / 1000} s, and ${busy.why}`
      : `${patienceMs / 1000} s`
    const why = owned.how ?? late ?? `no answer from ${url}/health within ${within}`
    await end()
    throw new StartError(`${why}. Its last lines: ${await lastWords()}`)
  }
  const memory = () => memoryOf(owned.pid, Number(new URL(url).port || 80))
  return { readyMs, busy, log, secrets, outsideUrls: outsideUrls(url), memory, end, kill, ended, lastWords }
}

/** @throws StartError unless connections to the URL are refused */
async function expectFree(url: string): Promise<void> {
  const { failure, json } = await new AgentClient({ url }).health({ timeoutMs: HEALTH_TIMEOUT_MS })
  if (failure?.kind === 'refused') return
  const { agent_id: id = 'another program' } = Object(json) as { agent_id?: unknown }
  throw new StartError(
    `${url} is in use by ${id}: end it, or name it: ${IS_IN_PROJECT ? `${STAGING} -- agent-1=${url}, or ` : ''}${CHECKS} ${url}`,
  )
}

/** How many times as long to wait on a machine that is too busy. */
const BUSY_PATIENCE = 4

/**
 * Polls `/health` of an agent that starts now until it answers 200, or until time is up.
 *
 * @param patienceMs so far: it grows on a machine that is too busy
 * @param isOver whether waiting has become pointless
 * @returns milliseconds from the start to that answer, or failing that, to the first one of any status; undefined if nothing
 *   accepts connections, or waiting is over
 */
async function timeUntilReady(
  { url, signal }: StartOptions,
  patienceMs: () => number,
  isOver: () => boolean,
) {
  const startedAt = performance.now()
  const client = new AgentClient({ url })
  const timeoutMs = Math.min(HEALTH_TIMEOUT_MS, patienceMs())
  const passed = () => performance.now() - startedAt
  let answeredMs: number | undefined
  for (;;) {
    const { status, failure } = await client.health({ timeoutMs, signal })
    if (status === 200) return passed()
    if (status !== null) answeredMs ??= passed()
    if (isOver()) return undefined
    if (passed() >= patienceMs()) {
      // If it is running, the checks will say what is wrong with its reply.
      return failure?.kind === 'refused' ? undefined : (answeredMs ?? passed())
    }
    await sleep(BETWEEN_POLLS_MS)
  }
}

/** Of a session's processes, as Linux tells it: a program that is started apart begins one. */
function memoryOf(session: number | undefined, port: number): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined
  const own = readdirSync('/proc').flatMap(pid => {
    try {
      // The name of a program, in brackets, may hold blanks. Behind it the session is the fourth field, the pages the 22nd.
      const fields = /^\d+$/.test(pid)
        ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
        : []
      return Number(fields[3]) === session ? { pid, pages: Number(fields[21]) } : []
    } catch {
      // It has just exited.
      return []
    }
  })
  const sockets = listening(port)
  const serves = own.some(({ pid }) => filesOf(pid).some(file => sockets.includes(file)))
  return serves ? PAGE_BYTES * sumOf(own.map(({ pages }) => pages)) : undefined
}

/** The sockets that listen at a port, as files of processes name them. */
function listening(port: number): readonly string[] {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter(existsSync)
  return tables.flatMap(table =>
    readFileSync(table, 'utf8')
      .split('\n')
      .map(line => line.trim().split(/\s+/))
      .filter(
        ([, address = '', , state]) => state === LISTENS && parseInt(address.split(':')[1]!, 16) === port,
      )
      .map(fields => `socket:[${fields[9]}]`),
  )
}

function filesOf(pid: string): readonly string[] {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).map(file => readlinkSync(`${folder}/${file}`))
  } catch {
    // It has just exited, or closed one.
    return []
  }
}

/** The same port on this machine's other addresses. */
function outsideUrls(url: string): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  const others = addresses.filter(({ internal, family }) => !internal && family === 'IPv4')
  return others.map(({ address }) => `http://${address}:${new URL(url).port || 80}`)
}
