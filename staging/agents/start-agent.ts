import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultLimits, type LogSource, type StartedAgent } from '../checks/options.ts'
import { fakeSecrets } from '../checks/secrets.ts'
import { AgentClient } from './agent-client.ts'
import { logStream } from './log-sources.ts'

export interface StartOptions {
  /** A command line for the shell. */
  readonly command: string
  /** Where the agent will answer. */
  readonly url: string
  /** Its environment, to which fake secrets are added under names that no agent knows. */
  readonly environment: NodeJS.ProcessEnv
  /** How long it may take to answer `/health`, and then to end, in milliseconds. Default: 60 s, twice what is allowed, so that a slow start can be told from none. */
  readonly patienceMs?: number
  readonly signal?: AbortSignal | undefined
}

/** An agent that did not start. Its message has what the agent wrote last. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

const BETWEEN_POLLS_MS = 50
const SHOWN_OUTPUT = 1_000
/** Names of variables that hold real secrets. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i

/**
 * Starts an agent as a process, with fake secrets in its environment, and waits for its `/health`: for HTTP 200, and
 * at last for any code.
 *
 * @throws StartError
 */
export async function startAgent(
  options: StartOptions,
): Promise<StartedAgent & { end: NonNullable<StartedAgent['end']> }> {
  const { command, url, environment, patienceMs = 2 * defaultLimits.startMs, signal } = options
  const client = new AgentClient({ url })
  const { failure } = await client.health({ timeoutMs: 1_000 })
  if (failure?.kind !== 'refused')
    throw new StartError(`${url} is answered before the agent is started: something else is there`)

  const fakes = plantedEnvironment()
  const startedAt = performance.now()
  // A group of its own: what a shell or npm starts in turn is ended with it.
  const child = spawn(command, {
    shell: true,
    detached: true,
    env: { ...environment, ...fakes },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = logStream('the output of the started agent', child.stdout, child.stderr)
  let ended: string | undefined
  const kill = () => signalGroup(child.pid, 'SIGKILL')
  // However this process ends, the agent must not keep its port.
  process.once('exit', kill)
  const exited = once(child, 'close').then(([code, killedBy]) => {
    process.off('exit', kill)
    ended = killedBy === null ? `exit code ${code}` : `signal ${killedBy}`
    return ended
  })

  const end = async () => {
    const askedAt = performance.now()
    const before = ended
    if (before !== undefined) return { how: `it had ended before, with ${before}`, clean: false, ms: 0 }
    signalGroup(child.pid, 'SIGTERM')
    const how = await Promise.race([exited, sleep(patienceMs, undefined, { ref: false })])
    const ms = performance.now() - askedAt
    if (how === undefined) {
      kill()
      return { how: `it did not end within ${patienceMs / 1000} s`, clean: false, ms }
    }
    return { how, clean: true, ms }
  }

  let answeredAt: number | undefined
  for (;;) {
    const { status } = await client.health({ timeoutMs: 5_000, signal })
    if (status !== null) answeredAt ??= performance.now()
    if (status === 200) {
      answeredAt = performance.now()
      break
    }
    if (ended === undefined && performance.now() - startedAt < patienceMs && !signal?.aborted) {
      await sleep(BETWEEN_POLLS_MS)
      continue
    }
    // It is there, and what is wrong with its answer is for the checks to say.
    if (ended === undefined && status !== null) break
    const late = signal?.aborted ? 'the checks were ended before it answered' : undefined
    const why = ended ?? late ?? `no answer from ${url}/health within ${patienceMs / 1000} s`
    await end()
    throw new StartError(`${why}; the agent wrote: ${await tail(log)}`)
  }
  const secrets = new Map([...Object.entries(fakes), ...realSecrets(environment)])
  return { readyMs: answeredAt! - startedAt, log, secrets, end }
}

function plantedEnvironment(): Record<string, string> {
  const names = ['API_KEY', 'TOKEN', 'ACCESS_KEY', 'JWT', 'DATABASE_URL', 'PASSWORD', 'SECRET']
  return Object.fromEntries(fakeSecrets().map((secret, index) => [`REHEARSAL_${names[index]}`, secret]))
}

/** Those that the agent has by right, and may not tell either. */
function realSecrets(environment: NodeJS.ProcessEnv): [string, string][] {
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && SECRET_NAME.test(name) ? [[name, value] as [string, string]] : [],
  )
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has just ended.
  }
}

async function tail(log: LogSource): Promise<string> {
  return JSON.stringify((await log.read()).trim().slice(-SHOWN_OUTPUT))
}
