import { parseArgs } from 'node:util'
import { type GroupId, groups } from '../run-checks.ts'

/** What the command line says. */
export interface CommandOptions {
  readonly help: boolean
  /** Absent: the checks start the agent. */
  readonly url?: string
  readonly token?: string
  readonly agentId?: string
  readonly tasks?: string
  /** A file, or `-` for standard input. */
  readonly log?: string
  readonly start?: string
  readonly image?: string
  readonly only?: readonly GroupId[]
  readonly concurrency?: number
  /** A file, or `-` for standard output. */
  readonly json?: string
  readonly junit?: string
}

/** Everything that is wrong with the options. No value of a secret is in it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'

  /** @param problems one a line */
  constructor(problems: readonly string[]) {
    super(['the options are not valid:', ...problems.map(problem => `  ${problem}`)].join('\n'))
  }
}

export const USAGE = `npm run staging:check -- [URL] [OPTION...]

Runs the curator's checks against an agent. Without URL and --start this project's agent is built and started.

  URL                 of the agent, as http://localhost:8080
  --start COMMAND     starts the agent, reads its output as its log, measures its start, and ends it
  --token-env NAME    variable that holds the agent's bearer token
  --agent-id ID       what /health must say, as agent-7
  --tasks FILE        tasks with expected answers, YAML or JSON (those of staging/tasks/tasks.yaml)
  --log FILE          the agent's log; - reads it from standard input
  --image NAME        the agent's image, looked at with docker, podman or buildah
  --only GROUP,...    ${groups.map(({ id }) => id).join(', ')}
  --concurrency N     tasks at a time (4)
  --json [FILE]       the report as JSON, to FILE or in place of the text
  --junit [FILE]      the report as JUnit XML, likewise
  --help              this text

Exit code: 0 everything mandatory holds; 1 something does not; 2 something mandatory could not run; 64 wrong options.
`

type Environment = Readonly<Record<string, string | undefined>>

const VALUED = ['start', 'token-env', 'agent-id', 'tasks', 'log', 'image', 'only', 'concurrency'] as const
/** Their value may be left out. */
const REPORTS = ['json', 'junit']
const KNOWN = [...VALUED, ...REPORTS, 'help']

/**
 * Reads the command line.
 *
 * @param args what stands after the program's name
 * @throws CommandError with every problem at once
 */
export function readCommand(args: readonly string[], env: Environment): CommandOptions {
  const problems: string[] = []
  const { values, words } = readWords(args, problems)
  const { start, tasks, log, image, json, junit } = values
  if (words.length > 1) problems.push(`expected one URL, got ${words.length}`)
  const url = words[0] === undefined ? undefined : readUrl(words[0], problems)
  const tokenVariable = values['token-env']
  const token = tokenVariable === undefined ? undefined : env[tokenVariable]?.trim() || undefined
  if (tokenVariable !== undefined && token === undefined) {
    problems.push(`--token-env: expected a token in the variable ${tokenVariable}, got nothing`)
  }
  const agentId = values['agent-id']
  if (agentId !== undefined && !/^agent-\d+$/.test(agentId)) {
    problems.push(`--agent-id: expected agent-<number>, got ${JSON.stringify(agentId)}`)
  }
  const only = values.only?.split(',').map(id => id.trim())
  const ids: string[] = groups.map(({ id }) => id)
  for (const id of only ?? []) {
    if (!ids.includes(id))
      problems.push(`--only: expected some of ${ids.join(', ')}, got ${JSON.stringify(id)}`)
  }
  if (values.concurrency !== undefined && !/^[1-9]\d{0,2}$/.test(values.concurrency)) {
    problems.push(
      `--concurrency: expected a whole number, 1 to 999, got ${JSON.stringify(values.concurrency)}`,
    )
  }
  if (json === '-' && junit === '-')
    problems.push('--json and --junit: expected a FILE for one of them at least')
  if (problems.length > 0) throw new CommandError(problems)
  return {
    help: values.help !== undefined,
    ...(url !== undefined && { url }),
    ...(token !== undefined && { token }),
    ...(agentId !== undefined && { agentId }),
    ...(tasks !== undefined && { tasks }),
    ...(log !== undefined && { log }),
    ...(start !== undefined && { start }),
    ...(image !== undefined && { image }),
    ...(only !== undefined && { only: only as GroupId[] }),
    ...(values.concurrency !== undefined && { concurrency: Number(values.concurrency) }),
    ...(json !== undefined && { json }),
    ...(junit !== undefined && { junit }),
  }
}

/** Options by name, and the other words. */
function readWords(args: readonly string[], problems: string[]) {
  const options = {
    ...Object.fromEntries(VALUED.map(name => [name, { type: 'string' as const }])),
    ...Object.fromEntries([...REPORTS, 'help'].map(name => [name, { type: 'boolean' as const }])),
  }
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values: Partial<Record<string, string>> = {}
  const words: string[] = []
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'positional') {
      const before = tokens[index - 1]
      const isReport = before?.kind === 'option' && REPORTS.includes(before.name) && !before.inlineValue
      // The word after --json is its file, unless it is the agent's address.
      if (isReport && !isAddress(token.value)) values[before.name] = token.value
      else words.push(token.value)
    }
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    if (!KNOWN.includes(name)) {
      problems.push(`${rawName}: expected one of ${KNOWN.map(known => `--${known}`).join(', ')}`)
    } else if (name in values) problems.push(`${rawName}: expected it once, got it again`)
    else if (REPORTS.includes(name)) values[name] = value || '-'
    else if (name === 'help') values[name] = ''
    else if (!value) problems.push(`${rawName}: expected a value, got none`)
    else values[name] = value
  }
  return { values, words }
}

function isAddress(word: string): boolean {
  return /^https?:/i.test(word)
}

/** The text itself is not shown: it may hold credentials. */
function readUrl(text: string, problems: string[]): string | undefined {
  const {
    protocol = '',
    username,
    password,
    pathname,
    search,
    hash,
    origin,
  } = URL.canParse(text) ? new URL(text) : {}
  const isPlain = pathname === '/' && [username, password, search, hash].every(part => part === '')
  if (/^https?:$/.test(protocol) && isPlain) return origin
  problems.push('URL: expected an http(s) address without a path, credentials or a query, got another')
  return undefined
}
