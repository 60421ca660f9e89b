import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { StartedAgent } from '../checks/run-checks.ts'
import { fakeKey } from '../checks/secrets.ts'
import type { AgentTarget } from '../platform/platform.ts'
import { createRedact, secretsIn } from '../redact.ts'
import { AgentClient } from './agent-client.ts'
import { captureLog } from './log-capture.ts'

/** Every agent's port, by the interface. */
const AGENT_URL = 'http://127.0.0.1:8080'
/** The interface gives a container 30 s; a machine at work on other things may take longer. */
const START_TIMEOUT_MS = 60_000
const PROVIDER_KEYS = ['OPENAI_API_KEY', 'TAVILY_API_KEY', 'BRAVE_API_KEY']

/** The agent's environment, and the secrets in it. */
export interface Planted {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** By the names of their variables. */
  readonly secrets: ReadonlyMap<string, string>
}

/** This project's agent as a process of the platform's. */
export interface OwnAgent extends AgentTarget {
  readonly start: StartedAgent
  /** Its end, asked for or not: `ended with code 1`. */
  readonly ended: Promise<string>
  /** The end of its log without secrets. */
  lastWords(): Promise<string>
  /** Lets it end its runs; resolves when it is gone. */
  end(): Promise<void>
}

/** The agent could not be started; the message says why and what to do. */
export class OwnAgentError extends Error {
  override readonly name = 'OwnAgentError'
}

/**
 * The environment for this project's agent: the platform's own, with a token of its own, and with fake secrets where
 * there are no real ones, so that its log can be searched for them.
 */
export function plantSecrets(env: Planted['variables']): Planted {
  const own = Object.entries(env).filter(([name]) => !name.startsWith('STAGING_'))
  const isOnline = Boolean(env.OPENAI_API_KEY?.trim() || env.OPENAI_BASE_URL?.trim())
  const provider = env.MODEL_PROVIDER?.trim() || (isOnline ? 'openai' : 'offline')
  const fakes = PROVIDER_KEYS.filter(name => provider === 'offline' || name !== 'OPENAI_API_KEY')
    .filter(name => !env[name]?.trim())
    .map(name => [name, fakeKey()] as const)
  const variables = {
    ...Object.fromEntries([...own, ...fakes]),
    MODEL_PROVIDER: provider,
    AGENT_TOKENS: randomBytes(24).toString('base64url'),
  }
  return { variables, secrets: secretsIn(variables) }
}

/**
 * Starts this project's agent.
 *
 * @param logFile where its log is to be read, without secrets; begun afresh
 * @param entry another program, which says its port by a log line `listening`
 * @throws {OwnAgentError}
 */
export async function startOwnAgent(
  { variables, secrets }: Planted,
  logFile: string,
  entry?: string,
): Promise<OwnAgent> {
  if (entry === undefined) await refuseTakenPort()
  const startedAt = performance.now()
  const program = entry ?? fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  const child = spawn(process.execPath, [program], {
    env: { ...variables },
    // A group of its own: a Ctrl-C in the terminal is for the platform, which lets the runs end first.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = endOf(child)
  const log = captureLog(child, logFile, createRedact([...secrets.values()]).text)
  const kill = () => void child.kill('SIGKILL')
  // However this process ends, the agent must not keep the port.
  process.once('exit', kill)
  void ended.then(() => process.off('exit', kill))
  try {
    const late = wait(START_TIMEOUT_MS, `did not start within ${START_TIMEOUT_MS / 1000} s`, { ref: false })
    const port = await Promise.race([log.listening, ended, late])
    if (typeof port === 'string') {
      throw new OwnAgentError(`the agent ${port}. The last it wrote: ${await log.lastWords()}`)
    }
    return {
      id: variables.AGENT_ID ?? 'agent-1',
      url: `http://127.0.0.1:${port}`,
      token: variables.AGENT_TOKENS,
      start: { readyMs: performance.now() - startedAt, log: log.source, secrets },
      ended,
      lastWords: log.lastWords,
      end: async () => {
        child.kill('SIGTERM')
        await ended
      },
    }
  } catch (error) {
    kill()
    throw error
  }
}

/** @throws {OwnAgentError} where something listens on the agent's port */
async function refuseTakenPort(): Promise<void> {
  const { failure, json } = await new AgentClient({ url: AGENT_URL }).health({ timeoutMs: 5_000 })
  if (failure?.kind === 'refused') return
  const { status, agent_id: id } = Object(json) as { status?: unknown; agent_id?: unknown }
  if (status === 'ok' && typeof id === 'string' && /^agent-\d+$/.test(id)) {
    throw new OwnAgentError(
      `port 8080 is taken by ${id}, which is up already. Name it: npm run staging -- ${id}=${AGENT_URL} ` +
        `(its token, if it asks for one, in STAGING_AGENT_TOKEN_${id.slice('agent-'.length)}), or end it first`,
    )
  }
  throw new OwnAgentError(
    'port 8080, where every agent listens, is taken by a program that does not answer as one. End it, or name ' +
      'agents of other addresses: npm run staging -- agent-7=http://127.0.0.1:8081',
  )
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = await once(child, 'close')
    return signal === null ? `ended with code ${code}` : `was ended by ${signal}`
  } catch (error) {
    return `could not be run (${(error as NodeJS.ErrnoException).code})`
  }
}
