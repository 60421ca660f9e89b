import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { HEALTH_TIMEOUT_MS, START_MS } from '../limits.ts'
import { createRedact, secretsIn } from '../redact.ts'
import { fakeSecrets } from '../secrets.ts'
import { AgentClient } from './agent-client.ts'
import { copyLog, type LogSource, logStream } from './log-sources.ts'

/** An agent's process with fake secrets in its environment. */
export interface StartedAgent {
  /** From its start to the first good `/health`, or where there is none to the first of any code, in milliseconds. */
  readonly readyMs: number
  readonly log: LogSource
  /** Made-up values and the real ones that its environment holds, by the names of their variables. */
  readonly secrets: ReadonlyMap<string, string>
  /** Where else it must answer: its addresses on this machine's networks; none where the machine has none. */
  readonly outsideUrls?: readonly string[]
  /** Ends it by SIGTERM; absent: it is somebody else's to end. Resolves with how it ended. */
  end?(): Promise<AgentEnd>
}

export interface AgentEnd {
  /** `exit code 0`, `signal SIGTERM`. */
  readonly how: string
  /** By itself, when it was told to. */
  readonly clean: boolean
}

export type AgentProcess = Awaited<ReturnType<typeof startAgent>>

/** An agent as it is named to the platform. */
export interface AgentTarget {
  readonly id: string
  /** Without a path and without credentials. */
  readonly url: string
  /** The agent's own bearer token. */
  readonly token?: string | undefined
  /** File that it writes its log to, for the acceptance checks. */
  readonly log?: string | undefined
  /** Name of its container image, likewise. */
  readonly image?: string | undefined
  /** What else the acceptance checks may look at, where the platform started the agent itself. */
  readonly start?: StartedAgent
}

export interface StartOptions {
  /** A command line for the shell, or a program and its arguments. */
  readonly command: string | readonly string[]
  /** Where the agent will answer. */
  readonly url: string
  /** Its environment, to which fake secrets are added under names that no agent knows. */
  readonly environment: NodeJS.ProcessEnv
  /** How long it may take to answer `/health`, and then to end, in milliseconds. Default: 60 s, twice what is allowed, so that a slow start can be told from none. */
  readonly patienceMs?: number
  /** Gets a copy of the log for the author to read, without secrets; begun afresh. */
  readonly logFile?: string
  readonly signal?: AbortSignal | undefined
}

/** An agent that did not start. Its message has what the agent wrote last. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

const BETWEEN_POLLS_MS = 50
/** Under such names, a secret of each form. */
const PLANTED = ['API_KEY', 'TOKEN', 'ACCESS_KEY', 'JWT', 'DATABASE_URL', 'PASSWORD', 'SECRET']
const SHOWN_OUTPUT = 1_000

/**
 * Starts an agent as a process, with fake secrets in its environment, and waits for its `/health`: for HTTP 200, and
 * at last for anything that takes connections.
 *
 * @throws StartError
 */
export async function startAgent(options: StartOptions) {
  const { command, url, environment, patienceMs = 2 * START_MS, logFile, signal } = options
  const client = new AgentClient({ url })
  const { failure } = await client.health({ timeoutMs: 1_000 })
  if (failure?.kind !== 'refused')
    throw new StartError(`${url} is answered before the agent is started: something else is there`)

  const planted = fakeSecrets().map((secret, index) => [`REHEARSAL_${PLANTED[index]}`, secret])
  const fakes: Record<string, string> = Object.fromEntries(planted)
  const secrets = new Map([...Object.entries(fakes), ...secretsIn(environment)])
  const redact = createRedact([...secrets.values()]).text
  const startedAt = performance.now()
  const [program = '', ...args] = typeof command === 'string' ? ['sh', '-c', command] : command
  const child = spawn(program, args, {
    // A group of its own: what a shell or npm starts in turn is ended with it, and Ctrl-C is for whoever started it.
    detached: true,
    env: { ...environment, ...fakes },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = logStream('the output of the started agent', child.stdout, child.stderr)
  if (logFile !== undefined) copyLog(logFile, redact, child.stdout, child.stderr)
  let how: string | undefined
  const kill = () => signalGroup(child.pid, 'SIGKILL')
  // However this process ends, the agent must not keep its port.
  process.once('exit', kill)
  /** Its end, asked for or not: `exit code 1`. */
  const ended = once(child, 'close')
    .then(
      ([code, killedBy]) => (killedBy === null ? `exit code ${code}` : `signal ${killedBy}`),
      ({ code }: NodeJS.ErrnoException) => `it could not be run (${code})`,
    )
    .then(came => {
      process.off('exit', kill)
      how = came
      return came
    })
  /** The end of its log, without secrets. */
  const lastWords = async () => redact((await log.read()).trim()).slice(-SHOWN_OUTPUT) || 'nothing'

  const end = async (): Promise<AgentEnd> => {
    if (how !== undefined) return { how: `it had ended before, with ${how}`, clean: false }
    signalGroup(child.pid, 'SIGTERM')
    const came = await Promise.race([ended, sleep(patienceMs, undefined, { ref: false })])
    if (came !== undefined) return { how: came, clean: true }
    kill()
    return { how: `it did not end within ${patienceMs / 1000} s`, clean: false }
  }

  const passed = () => performance.now() - startedAt
  let answeredMs: number | undefined
  for (;;) {
    const timeoutMs = Math.min(HEALTH_TIMEOUT_MS, patienceMs)
    const { status, failure } = await client.health({ timeoutMs, signal })
    if (status !== null) answeredMs = status === 200 ? passed() : (answeredMs ?? passed())
    if (status === 200) break
    if (how === undefined && passed() < patienceMs && !signal?.aborted) {
      await sleep(BETWEEN_POLLS_MS)
      continue
    }
    // It is there, and what is wrong with its answer is for the checks to say.
    if (how === undefined && !signal?.aborted && failure?.kind !== 'refused') break
    const late = signal?.aborted ? 'the checks were ended before it answered' : undefined
    const why = how ?? late ?? `no answer from ${url}/health within ${patienceMs / 1000} s`
    await end()
    throw new StartError(`${why}. The last it wrote: ${await lastWords()}`)
  }
  const readyMs = answeredMs ?? passed()
  return { readyMs, log, secrets, outsideUrls: outsideUrls(url), end, ended, lastWords }
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has just ended.
  }
}

/** The same port on this machine's other addresses. */
function outsideUrls(url: string): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  const others = addresses.filter(({ internal, family }) => !internal && family === 'IPv4')
  return others.map(({ address }) => `http://${address}:${new URL(url).port || 80}`)
}
