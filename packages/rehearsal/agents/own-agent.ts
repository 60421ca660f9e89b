import { resolve } from 'node:path'
import type { Environment } from '../command-line.ts'
import { AGENT_PORT } from '../limits.ts'
import { secretsIn } from '../redact.ts'
import { fakeKey } from '../secrets.ts'
import { isSameServer } from './loopback.ts'
import { type StartedAgent, startAgent } from './start-agent.ts'

export const AGENT_URL = `http://127.0.0.1:${AGENT_PORT}`
/** The token of this project's agent while `npm run staging` runs it, readable only by its user. */
export const TOKEN_FILE = '.staging/agent-token'
/** The agent of the project in the current folder. */
export const OWN_ENTRY = resolve('src/main.ts')
/** Its log, without secrets, while the platform or the checks run it. */
export const AGENT_LOG = '.staging/agent.log'
const PROVIDER_KEYS = ['OPENAI_API_KEY', 'TAVILY_API_KEY', 'BRAVE_API_KEY']
/** Where one is set, the agent asks a provider, or does not start. */
const ASK_FOR_PROVIDER = [
  'OPENAI_API_KEY',
  'OPENAI_API_KEY_FILE',
  'OPENAI_BASE_URL',
  'MODEL',
  'FALLBACK_MODEL',
]

interface OwnAgentOptions {
  /** A new file for its log, without secrets; absent: `AGENT_LOG`. */
  readonly logFile?: string
  /** The program's address; absent: the standard port. */
  readonly url?: string
  /** A program to start in place of this project's agent. */
  readonly entry?: string
  readonly signal?: AbortSignal | undefined
}

/**
 * The environment for this project's agent: the platform's own, plus a token, plus fake secrets in place of missing
 * real ones, so that its log can be searched for them.
 *
 * @returns the agent's environment, and the secrets in it
 */
export function plantSecrets(env: Environment) {
  const own = Object.entries(env).filter(([name]) => !name.startsWith('STAGING_'))
  const isOnline = ASK_FOR_PROVIDER.some(name => env[name]?.trim())
  const provider = env.MODEL_PROVIDER?.trim() || (isOnline ? 'openai' : 'offline')
  const fakes = PROVIDER_KEYS.filter(name => provider === 'offline' || name !== 'OPENAI_API_KEY')
    .filter(name => !env[name]?.trim() && !env[`${name}_FILE`]?.trim())
    .map(name => [name, fakeKey()] as const)
  const added = { MODEL_PROVIDER: provider, AGENT_TOKENS: fakeKey(), AGENT_TOKENS_FILE: '' }
  const variables: Environment = { ...Object.fromEntries([...own, ...fakes]), ...added }
  return { variables, secrets: secretsIn(variables) }
}

/** Whether a URL is this project's agent's, by any name of this machine's loopback interface. */
export function isOwnAddress(url: string): boolean {
  return isSameServer(url, AGENT_URL)
}

export type Planted = ReturnType<typeof plantSecrets>

/**
 * Starts this project's agent from source, as a child process of the platform.
 *
 * @throws {StartError}
 */
export async function startOwnAgent({ variables }: Planted, options: OwnAgentOptions = {}) {
  const { logFile = AGENT_LOG, url = AGENT_URL, entry = OWN_ENTRY, signal } = options
  const command = [process.execPath, entry]
  const agent = await startAgent({ command, url, environment: { ...variables }, logFile, signal })
  return {
    id: ownAgentId(variables),
    url,
    token: variables.AGENT_TOKENS,
    start: examined(agent),
    process: agent,
  }
}

/** What the acceptance checks may know of a process that the platform goes on using. */
export function examined({ readyMs, busy, log, secrets, outsideUrls }: StartedAgent): StartedAgent {
  return { readyMs, busy, log, secrets, outsideUrls }
}

export function ownAgentId({ AGENT_ID }: Environment): string {
  return AGENT_ID?.trim() || 'agent-1'
}
