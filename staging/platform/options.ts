import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { AgentTarget } from './platform.ts'

/** What the command line, the file of agents and the environment say. */
export interface Options {
  readonly help: boolean
  /** None: this project's own agent. */
  readonly agents: readonly AgentTarget[]
  readonly port: number
  readonly hostname: string
  readonly databaseFile: string
  /** The staging token. */
  readonly token: string
  /** Whether it was made here, and has to be told. */
  readonly tokenIsMade: boolean
}

/** Everything that is wrong with the options, a line each. No value of a secret is in it. */
export class OptionsError extends Error {
  override readonly name = 'OptionsError'

  constructor(problems: readonly string[]) {
    super(['the options are not valid:', ...problems.map(problem => `  ${problem}`)].join('\n'))
  }
}

export const USAGE = `npm run staging -- [AGENT...] [--agents FILE] [--port N] [--host NAME] [--db FILE]

A stand-in for the platform: staging route, health monitor, dashboard and acceptance checks.

  AGENT          agent-7=http://localhost:8080. Without any, this project's agent is started as the first.
  --agents FILE  more of them, a line each; # begins a comment; token-env=NAME after the address says
                 which variable holds the agent's own token
  --port N       to listen on (8090; 0: any that is free)
  --host NAME    to listen on (127.0.0.1)
  --db FILE      where runs and checks are kept (.staging/platform.db)
  --help         this text

  STAGING_TOKEN          token of the staging route; made at each start where it is absent
  STAGING_AGENT_TOKEN_7  the own token of agent-7, if it asks for one
`

type Environment = Readonly<Record<string, string | undefined>>

const DEFAULTS = { port: '8090', host: '127.0.0.1', db: '.staging/platform.db' }
const VALUED = ['agents', 'port', 'host', 'db']
/** A shorter secret could not be kept out of the records without blotting out ordinary words. */
const SECRET = /^[\x21-\x7e]{8,}$/
const SECRET_SHAPE = 'visible ASCII without spaces, 8 characters or more'

/**
 * Reads the options; a blank variable counts as absent.
 *
 * @param args what stands after the program's name
 * @throws {OptionsError} with every problem at once
 */
export function readOptions(args: readonly string[], env: Environment): Options {
  const problems: string[] = []
  const { values, words } = readWords(args, problems)
  const lines = [
    ...words.map(text => ({ text, place: text })),
    ...(values.agents === undefined ? [] : readLines(values.agents, problems)),
  ]
  const agents = lines.flatMap(({ text, place }) => readAgent(text, place, env, problems))
  const repeated = agents.filter(({ id }, index) => agents.findIndex(other => other.id === id) < index)
  for (const { id } of repeated) problems.push(`${id}: expected each agent once, got it again`)

  const { port, host, db } = { ...DEFAULTS, ...values }
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    problems.push(`--port: expected a whole number, 0 to 65535, got ${JSON.stringify(port)}`)
  }
  const given = env.STAGING_TOKEN?.trim() || undefined
  if (given !== undefined && !SECRET.test(given)) {
    problems.push(`STAGING_TOKEN: expected ${SECRET_SHAPE}, got something else (not shown)`)
  }
  if (problems.length > 0) throw new OptionsError(problems)
  return {
    help: values.help !== undefined,
    agents,
    port: Number(port),
    hostname: host,
    databaseFile: db,
    token: given ?? randomBytes(24).toString('base64url'),
    tokenIsMade: given === undefined,
  }
}

/** Options by name, and the other words. */
function readWords(args: readonly string[], problems: string[]) {
  const options = {
    ...Object.fromEntries(VALUED.map(name => [name, { type: 'string' as const }])),
    help: { type: 'boolean' as const, short: 'h' },
  }
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const values: Partial<Record<string, string>> = {}
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    if (name === 'help') values.help = ''
    else if (!VALUED.includes(name)) {
      const known = [...VALUED, 'help'].map(each => `--${each}`).join(', ')
      problems.push(`${rawName}: expected one of ${known}, or an agent as agent-7=http://localhost:8080`)
    } else if (!value || value.startsWith('--'))
      problems.push(`${rawName}: expected a value, got ${value || 'none'}`)
    else values[name] = value
  }
  return { values, words }
}

function readLines(file: string, problems: string[]): { text: string; place: string }[] {
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (error) {
    problems.push(`--agents ${file}: expected a file, got ${(error as NodeJS.ErrnoException).code}`)
    return []
  }
  const lines = content.split(/\r?\n/).map((line, index) => ({
    text: line.replace(/(^|\s)#.*$/, '').trim(),
    place: `${file}:${index + 1}`,
  }))
  return lines.filter(({ text }) => text !== '')
}

/** `agent-7=http://localhost:8080`, and perhaps `token-env=NAME`. */
function readAgent(text: string, place: string, env: Environment, problems: string[]): AgentTarget[] {
  const [named = '', ...extras] = text.split(/\s+/)
  const [, id, address = ''] = /^(agent-\d+)=(.+)$/.exec(named) ?? []
  const variable = extras.length === 1 ? /^token-env=(\w+)$/.exec(extras[0]!)?.[1] : undefined
  if (id === undefined || (extras.length > 0 && variable === undefined)) {
    const shape = 'agent-<number>=<http address>, and perhaps token-env=NAME'
    problems.push(`${place}: expected ${shape}, got something else (not shown: it may hold a token)`)
    return []
  }
  const url = readAddress(address)
  if (url === undefined) {
    problems.push(`${id}: expected an http(s) address without a path, credentials or a query, got another`)
    return []
  }
  const name = variable ?? `STAGING_AGENT_TOKEN_${id.slice('agent-'.length)}`
  const token = env[name]?.trim() || undefined
  if (token === undefined && variable !== undefined) {
    problems.push(`${id}: expected its token in the variable ${variable}, got nothing`)
  }
  if (token !== undefined && !SECRET.test(token)) {
    problems.push(`${name}: expected ${SECRET_SHAPE}, got something else (not shown)`)
  }
  return [{ id, url, token }]
}

function readAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, pathname, search, hash, origin } = new URL(text)
  const isPlain = [username, password, search, hash].every(part => part === '') && pathname === '/'
  return /^https?:$/.test(protocol) && isPlain ? origin : undefined
}
