import { randomBytes } from 'node:crypto'
import type { AgentTarget } from '../agents/start-agent.ts'
import { CommandLine, type Environment, optionsText } from '../command-line.ts'
import { DATABASE_FILE } from '../running-platform.ts'

const OPTIONS = {
  '--port N': 'to listen on (8090; 0: any free one)',
  '--replicas N':
    "1 to 4 processes of this project's agent, which share the Redis of REDIS_URL, or else one started for them",
  '--tasks FILE': 'what the acceptance checks ask, YAML or JSON; once or more; absent: the tasks that ship',
  '--db FILE': `where runs and checks are stored (${DATABASE_FILE})`,
}

export const USAGE = `npm run staging -- [AGENT...] [OPTION...]

A stand-in for the platform: staging route, health monitor, dashboard and acceptance checks.

  AGENT          agent-7=http://localhost:8081, beside this project's agent, which it starts as agent-1,
                 unless one at its address (port 8080) or with its id is named.
                 In quotes, options may follow: log=FILE and image=NAME, the agent's log and its image,
                 for the acceptance checks
${optionsText(OPTIONS)}

  STAGING_TOKEN          token of the staging route; if unset, generated at each start
  STAGING_AGENT_TOKEN_7  agent-7's own token, if it requires one
`

/** Masking a shorter secret in the records would hide ordinary words. */
const SECRET = /^[\x21-\x7e]{8,}$/
const SECRET_SHAPE = 'visible ASCII without spaces, 8 characters or more'
const AGENT_SHAPE = 'agent-<number>=<http address>, optionally log=FILE, image=NAME, got something else'

/** The options from the command line and the environment. */
export type PlatformOptions = ReturnType<typeof readOptions>

/**
 * Reads the options; a blank variable counts as absent. This project's own agent is not among the agents.
 *
 * @param args the arguments after the program's name
 * @throws {UsageError} listing every problem
 */
export function readOptions(args: readonly string[], env: Environment) {
  const line = new CommandLine(args, OPTIONS)
  const agents = line.words.flatMap((text, index) => readAgent(text, `agent ${index + 1}`, env, line))
  const repeated = agents.filter(({ id }, index) => agents.findIndex(other => other.id === id) < index)
  for (const { id } of repeated) line.expect(false, `${id}: given more than once`)
  const configuredToken = env.STAGING_TOKEN?.trim() || undefined
  const options = {
    help: line.has('help'),
    agents,
    port: line.wholeNumber('port', [0, 65_535], 8090),
    /** Undefined: one process of this project's agent, on its port. */
    replicas: line.wholeNumber('replicas', [1, 4], undefined),
    /** None: the tasks that ship. */
    tasksFiles: line.all('tasks'),
    databaseFile: line.one('db') ?? DATABASE_FILE,
    token: configuredToken ?? randomBytes(24).toString('base64url'),
    /** A generated token must be printed. */
    tokenIsMade: configuredToken === undefined,
  }
  expectSecret('STAGING_TOKEN', configuredToken, line)
  line.end()
  return options
}

/** `agent-7=http://localhost:8080`, optionally followed by `log=FILE image=NAME`. */
function readAgent(text: string, place: string, env: Environment, line: CommandLine): AgentTarget[] {
  const [named = '', ...words] = text.split(/\s+/)
  const [, id, address = ''] = /^(agent-\d+)=(.+)$/.exec(named) ?? []
  const extras = words.map(word => /^(log|image)=(.+)$/.exec(word)?.slice(1, 3))
  if (id === undefined || extras.includes(undefined)) {
    line.expect(false, `${place}: expected ${AGENT_SHAPE} (not shown: it may hold a token)`)
    return []
  }
  const url = line.address(id, address)
  if (url === undefined) return []
  const { log, image } = Object.fromEntries(extras as [string, string][])
  const variable = `STAGING_AGENT_TOKEN_${id.slice('agent-'.length)}`
  const token = env[variable]?.trim() || undefined
  expectSecret(variable, token, line)
  return [{ id, url, token, log, image }]
}

function expectSecret(variable: string, value: string | undefined, line: CommandLine): void {
  const isOne = value === undefined || SECRET.test(value)
  line.expect(isOne, `${variable}: expected ${SECRET_SHAPE}, got something else (not shown)`)
}
