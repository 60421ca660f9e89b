import { closeSync, existsSync, openSync } from 'node:fs'
import { OWN_ENTRY } from '../agents/own-agent.ts'
import type { GroupId } from '../checks/options.ts'
import { groups } from '../checks/run-checks.ts'
import { CommandLine, type Environment, optionsText } from '../command-line.ts'
import { CHECKS, IS_IN_PROJECT } from '../program.ts'
import { readTasks, TaskFileError } from '../tasks/read-tasks.ts'
import type { TaskFile } from '../tasks/task.ts'

const OPTIONS = {
  '--start COMMAND': 'starts the agent, reads its output as its log, and stops it',
  '--token-env NAME': "variable that holds the agent's bearer token",
  '--agent-id ID': 'the agent_id that /health must report: agent-7',
  '--tasks FILE': 'tasks with expected answers, YAML or JSON; once or more; absent: those that ship',
  '--log FILE': "the agent's log; - reads it from standard input",
  '--image NAME': "the agent's image, inspected with docker or podman",
  '--only GROUP,...': groups.map(({ id }) => id).join(', '),
  '--concurrency N': 'runs at a time, where they may be beside others (8)',
  '--minutes N': 'for all checks; absent: as many as this agent needs, 5 at least',
  '--long': 'with an agent that the checks start, 250 more runs: growing memory, slower runs',
  '--stall NAME': "variable with its model's address; tries a model that never answers",
  '--json FILE': 'the report as JSON; - writes it to standard output, instead of the text',
  '--junit FILE': 'the report as JUnit XML, likewise',
  '--version': 'the version of the checks',
}

const WITHOUT_AGENT = IS_IN_PROJECT
  ? "Without URL and --start, starts this project's agent."
  : 'The URL is needed, or --start COMMAND for an agent on port 8080.'

export const USAGE = `${CHECKS} [URL] [OPTION...]

Runs the curator's checks against an agent. ${WITHOUT_AGENT}

  URL               of the agent: http://localhost:8080
${optionsText(OPTIONS)}

Exit code: 0 everything mandatory passed; 1 something failed; 2 something mandatory was not run; 64 wrong options.
`

export type CommandOptions = Awaited<ReturnType<typeof readOptions>>

/**
 * Reads the command line. Without `url` the checks start the agent; `-` for a file is standard input or output.
 *
 * @param args the arguments after the program's name
 * @throws UsageError listing every problem
 */
export async function readOptions(args: readonly string[], env: Environment) {
  const line = new CommandLine(args, OPTIONS)
  const one = (name: string) => line.one(name)
  const [address] = line.words
  const ids: readonly string[] = groups.map(({ id }) => id)
  const only = one('only')?.split(/ *, */)
  const options = {
    help: line.has('help'),
    version: line.has('version'),
    url: address === undefined ? undefined : line.address('URL', address),
    token: line.token(env),
    agentId: one('agent-id'),
    tasks: await tasksIn(line.all('tasks'), line),
    log: one('log'),
    start: one('start'),
    /** Name of the variable that gives a started agent the address of its model. */
    stall: one('stall'),
    long: line.has('long'),
    image: one('image'),
    only: only as readonly GroupId[] | undefined,
    concurrency: line.wholeNumber('concurrency', [1, 999], undefined),
    minutes: line.wholeNumber('minutes', [1, 999], undefined),
    json: one('json'),
    junit: one('junit'),
  }
  const { agentId = 'agent-1', start, stall, json, junit } = options
  const expect = line.expect.bind(line)
  const hasAgent = address !== undefined || start !== undefined || (IS_IN_PROJECT && existsSync(OWN_ENTRY))
  const since = IS_IN_PROJECT ? `, since there is no ${OWN_ENTRY} to start` : ''
  expect(
    options.help || options.version || hasAgent,
    `expected the URL of an agent, or --start COMMAND${since}`,
  )
  expect(line.words.length <= 1, `expected one URL, got ${line.words.length}`)
  expect(/^agent-\d+$/.test(agentId), `--agent-id: expected agent-<number>, got ${JSON.stringify(agentId)}`)
  for (const id of only ?? [])
    expect(ids.includes(id), `--only: expected some of ${ids.join(', ')}, got ${JSON.stringify(id)}`)
  expect(json !== '-' || junit !== '-', '--json and --junit: expected a FILE for at least one of them')
  const starts = start !== undefined || address === undefined
  expect(
    stall === undefined || starts,
    '--stall: needs --start, because the checks start the agent once more',
  )
  expect(!options.long || starts, '--long: needs --start, because it reads the memory of what it starts')
  for (const [option, file] of Object.entries({ json, junit })) expectWritable(option, file, line)
  line.end()
  return options
}

/** @returns `undefined` for the tasks that ship */
async function tasksIn(files: readonly string[], line: CommandLine): Promise<TaskFile | undefined> {
  if (files.length === 0) return undefined
  return await readTasks(...files).catch((error: unknown) => {
    if (!(error instanceof TaskFileError)) throw error
    for (const problem of error.message.split('\n')) line.expect(false, problem)
    return { tasks: [] }
  })
}

function expectWritable(option: string, file: string | undefined, line: CommandLine): void {
  if (file === undefined || file === '-') return
  try {
    closeSync(openSync(file, 'a'))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    line.expect(false, `--${option}: expected a writable file, got ${code} for ${file}`)
  }
}
