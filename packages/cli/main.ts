import { SetupError } from '@agent-task-service/engine/config'
import { type Environment, StartError, UsageError } from '@agent-task-service/rehearsal/command-line'
import type { Command } from './command.ts'

const EXIT_USAGE = 64

interface Entry {
  readonly does: string
  /** `usage`: its help text; absent: it writes that itself. */
  load(): Promise<{ readonly run: Command; readonly usage?: string }>
  /** Whether it has the variables in `.env`, as the agent does. */
  readonly dotEnv?: true
}

/** In the order in which people need them. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  dev: {
    does: 'serves the agent from its sources and restarts on every save',
    load: () => import('./commands/dev.ts'),
  },
  studio: {
    does: 'serves the graph for LangGraph Studio',
    load: () => import('./commands/studio.ts'),
    dotEnv: true,
  },
  eval: {
    does: 'runs tasks with known answers, to compare models, prompts or agents',
    load: () => import('./commands/eval.ts'),
    dotEnv: true,
  },
  staging: {
    does: 'runs the platform, with this agent or others',
    load: () => import('./commands/staging.ts'),
    dotEnv: true,
  },
  replica: {
    does: 'serves the agent on a port, as staging --replicas does',
    load: () => import('./commands/replica.ts'),
  },
  check: {
    does: "runs the curator's checks against this agent or another",
    load: () => import('./commands/check.ts'),
    dotEnv: true,
  },
  build: {
    does: 'bundles the service into dist/, with its bill of materials',
    load: () => import('./commands/build.ts'),
  },
  'image-arguments': {
    does: 'prints the build arguments for the image of this commit',
    load: () => import('./commands/image-arguments.ts'),
  },
  docs: {
    does: 'writes the documents of the settings and of the HTTP interface',
    load: () => import('./commands/docs.ts'),
  },
  upgrade: {
    does: 'takes a later version of the packages that serve the agent',
    load: () => import('./commands/upgrade.ts'),
  },
}

const width = Math.max(...Object.keys(COMMANDS).map(name => name.length))
const rows = Object.entries(COMMANDS).map(([name, { does }]) => `  ${name.padEnd(width)}  ${does}`)
const USAGE = `agent COMMAND [OPTION...]

In the folder of an agent:

${rows.join('\n')}

The options of each: agent COMMAND --help
`

/**
 * Runs one of the commands and ends the process with its exit code.
 *
 * @param args the arguments after the program's name
 */
export async function runCommand([name, ...args]: readonly string[], env: Environment): Promise<void> {
  const code = await exitCodeOf(name, args, env)
  // What an agent's owner left open would keep the process alive.
  if (code !== undefined) process.stdout.write('', () => process.exit(code))
}

async function exitCodeOf(
  name: string | undefined,
  args: readonly string[],
  env: Environment,
): Promise<number | undefined> {
  if (isHelp(name)) {
    process.stdout.write(USAGE)
    return 0
  }
  try {
    if (name === undefined || !Object.hasOwn(COMMANDS, name)) throw unknownCommand(name)
    const { load, dotEnv } = COMMANDS[name]!
    if (dotEnv) await import('./dot-env.ts')
    const { run, usage } = await load()
    if (usage === undefined || !args.some(isHelp)) return await run(args, env)
    process.stdout.write(usage)
    return 0
  } catch (error) {
    const isTold = [UsageError, SetupError, StartError].some(kind => error instanceof kind)
    if (!isTold) throw error
    process.stderr.write(`${(error as Error).message}\n`)
    return error instanceof UsageError ? EXIT_USAGE : 1
  }
}

const isHelp = (arg?: string) => arg === '--help' || arg === '-h'

function unknownCommand(name: string | undefined): UsageError {
  const got = name === undefined ? 'none' : JSON.stringify(name)
  return new UsageError([`expected one of ${Object.keys(COMMANDS).join(', ')}, got ${got}`])
}
