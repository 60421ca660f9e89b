import {
  ADDRESS_EXPECTED,
  type Environment,
  optionsText,
  readAddress,
  readCommandLine,
  readToken,
  readWholeNumber,
  UsageError,
} from '../../command-line.ts'
import { type GroupId, groups } from '../run-checks.ts'

/** What the command line says. */
export interface CommandOptions {
  readonly help: boolean
  /** Absent: the checks start the agent. */
  readonly url: string | undefined
  readonly token: string | undefined
  readonly agentId: string | undefined
  readonly tasks: string | undefined
  /** A file, or `-` for standard input. */
  readonly log: string | undefined
  readonly start: string | undefined
  /** Name of the variable in which a started agent finds the address of its model. */
  readonly stall: string | undefined
  readonly image: string | undefined
  readonly only: readonly GroupId[] | undefined
  readonly concurrency: number | undefined
  /** A file, or `-` for standard output. */
  readonly json: string | undefined
  readonly junit: string | undefined
}

const ROWS = [
  {
    option: '--start COMMAND',
    meaning: 'starts the agent, reads its output as its log, measures its start, and ends it',
  },
  { option: '--token-env NAME', meaning: "variable that holds the agent's bearer token" },
  { option: '--agent-id ID', meaning: 'what /health must say, as agent-7' },
  {
    option: '--tasks FILE',
    meaning: 'tasks with expected answers, YAML or JSON (those of staging/tasks/tasks.yaml)',
  },
  { option: '--log FILE', meaning: "the agent's log; - reads it from standard input" },
  { option: '--image NAME', meaning: "the agent's image, looked at with docker, podman or buildah" },
  { option: '--only GROUP,...', meaning: groups.map(({ id }) => id).join(', ') },
  { option: '--concurrency N', meaning: 'tasks at a time (4)' },
  {
    option: '--stall NAME',
    meaning:
      'variable in which the agent has the address of its model: at the end it is started once more\nwith a model that never answers, and must give up in time (two minutes more)',
  },
  { option: '--json [FILE]', meaning: 'the report as JSON, to FILE or in place of the text' },
  { option: '--junit [FILE]', meaning: 'the report as JUnit XML, likewise' },
] as const

export const USAGE = `npm run staging:check -- [URL] [OPTION...]

Runs the curator's checks against an agent. Without URL and --start this project's agent is started.

  URL               of the agent, as http://localhost:8080
${optionsText(ROWS)}

Exit code: 0 everything mandatory holds; 1 something does not; 2 something mandatory could not run; 64 wrong options.
`

/**
 * Reads the command line.
 *
 * @param args what stands after the program's name
 * @throws UsageError with every problem at once
 */
export function readCommand(args: readonly string[], env: Environment): CommandOptions {
  const problems: string[] = []
  const { values, words } = readCommandLine(args, ROWS, problems)
  const one = (name: string) => values[name]?.[0]
  const expect = (holds: boolean, problem: string) => void (holds || problems.push(problem))

  expect(words.length <= 1, `expected one URL, got ${words.length}`)
  const url = words[0] === undefined ? undefined : readAddress(words[0])
  expect(words[0] === undefined || url !== undefined, `URL: ${ADDRESS_EXPECTED}`)
  const token = readToken('--token-env', one('token-env'), env, problems)
  const agentId = one('agent-id')
  const isId = agentId === undefined || /^agent-\d+$/.test(agentId)
  expect(isId, `--agent-id: expected agent-<number>, got ${JSON.stringify(agentId)}`)
  const ids: readonly string[] = groups.map(({ id }) => id)
  const only = one('only')
    ?.split(',')
    .map(id => id.trim())
  for (const id of only ?? []) {
    expect(ids.includes(id), `--only: expected some of ${ids.join(', ')}, got ${JSON.stringify(id)}`)
  }
  const concurrency = one('concurrency')
  const [json, junit, start, stall] = ['json', 'junit', 'start', 'stall'].map(one)
  expect(json !== '-' || junit !== '-', '--json and --junit: expected a FILE for one of them at least')
  expect(
    stall === undefined || start !== undefined || url === undefined,
    '--stall: expected it with --start, for an agent that the checks can start once more',
  )
  const options = {
    help: one('help') !== undefined,
    url,
    token,
    agentId,
    tasks: one('tasks'),
    log: one('log'),
    start,
    stall,
    image: one('image'),
    only: only as readonly GroupId[] | undefined,
    concurrency:
      concurrency === undefined
        ? undefined
        : readWholeNumber('--concurrency', concurrency, [1, 999], problems),
    json,
    junit,
  }
  if (problems.length > 0) throw new UsageError(problems)
  return options
}
