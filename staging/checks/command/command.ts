import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { logFile, logStream } from '../../agents/log-sources.ts'
import { plantSecrets } from '../../agents/own-agent.ts'
import { StartError, startAgent } from '../../agents/start-agent.ts'
import { readTasks, TaskFileError } from '../../tasks/read-tasks.ts'
import type { TaskFile } from '../../tasks/task.ts'
import { quoted } from '../curl.ts'
import type { LogSource } from '../options.ts'
import type { Report } from '../report.ts'
import { runChecks, SHIPPED_TASKS } from '../run-checks.ts'
import { CommandError, type CommandOptions, readCommand, USAGE } from './command-options.ts'
import { startPrivatePlatform } from './private-platform.ts'
import { reportJunit } from './report-junit.ts'
import { reportText, summaryText } from './report-text.ts'

/** What the command reads and writes, beside files. */
export interface CommandWorld {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable
  /** Ends the checks early. */
  readonly signal: AbortSignal
}

const EXIT = { passed: 0, failed: 1, incomplete: 2, usage: 64 } as const
const OWN_URL = 'http://127.0.0.1:8080'
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * The command `staging:check`.
 *
 * @param args what stands after the program's name
 * @returns its exit code
 */
export async function checkCommand(args: readonly string[], world: CommandWorld): Promise<number> {
  const { env, stdout, stderr } = world
  try {
    const options = readCommand(args, env)
    if (options.help) {
      stdout.write(USAGE)
      return EXIT.passed
    }
    const tasks = await readTasks(options.tasks ?? SHIPPED_TASKS)
    await prepareReports(options)
    const report = await check(options, tasks, world)
    return EXIT[report.verdict ?? 'incomplete']
  } catch (error) {
    if (error instanceof CommandError || error instanceof TaskFileError) {
      stderr.write(`${error.message}\n`)
      return EXIT.usage
    }
    if (error instanceof StartError) {
      stderr.write(`the agent could not be started: ${error.message}\n`)
      return EXIT.failed
    }
    throw error
  }
}

/** @throws CommandError before anything is checked, not after */
async function prepareReports({ json, junit }: CommandOptions): Promise<void> {
  const problems: string[] = []
  for (const [option, file] of Object.entries({ json, junit })) {
    if (file === undefined || file === '-') continue
    await writeFile(file, '').catch(({ code }: NodeJS.ErrnoException) => {
      problems.push(`--${option}: expected a file that can be written, got ${code} for ${file}`)
    })
  }
  if (problems.length > 0) throw new CommandError(problems)
}

async function check(options: CommandOptions, tasks: TaskFile, world: CommandWorld): Promise<Report> {
  const { url, token, start } = await reachAgent(options, world)
  const { agentId, image, only, concurrency } = options
  const platform = await startPrivatePlatform({ id: agentId ?? 'agent-1', url, token })
  const printer = new Printer(options, world)
  try {
    const report = await runChecks({
      url,
      token,
      agentId,
      tasks,
      image,
      only,
      concurrency,
      start,
      platform,
      log: await logOf(options, world),
      signal: world.signal,
      onProgress: progress => printer.show(progress),
    })
    await printer.finish(report)
    return report
  } finally {
    await platform.close()
    await start?.end()
  }
}

/** The agent that was named, or one that is started. */
async function reachAgent(options: CommandOptions, { env, signal }: CommandWorld) {
  const { url = OWN_URL, token, start: command } = options
  if (command !== undefined) {
    return { url, token, start: await startAgent({ command, url, environment: env, signal }) }
  }
  if (options.url !== undefined) return { url, token, start: undefined }
  await promisify(execFile)('npm', ['run', 'build', '--silent'], { cwd: ROOT }).catch(({ stderr }) => {
    throw new StartError(`npm run build failed: ${stderr}`)
  })
  const { variables } = plantSecrets(env)
  const own = `exec ${quoted(process.execPath)} --enable-source-maps ${quoted(`${ROOT}dist/main.js`)}`
  const start = await startAgent({ command: own, url, environment: variables, signal })
  return { url, token: variables.AGENT_TOKENS, start }
}

async function logOf({ log }: CommandOptions, { stdin }: CommandWorld): Promise<LogSource | undefined> {
  if (log === undefined) return undefined
  return log === '-' ? logStream('standard input', stdin) : await logFile(log)
}

/** Writes the report: as text while it grows, unless standard output is for another form of it. */
class Printer {
  readonly #options: CommandOptions
  readonly #world: CommandWorld
  readonly #style: { readonly color: boolean }
  readonly #writesText: boolean
  #written = 0

  constructor(options: CommandOptions, world: CommandWorld) {
    this.#options = options
    this.#world = world
    this.#style = { color: world.stdout.isTTY === true && !world.env.NO_COLOR }
    this.#writesText = options.json !== '-' && options.junit !== '-'
  }

  show(report: Report): void {
    if (!this.#writesText) return
    const text = reportText(report, this.#style)
    this.#world.stdout.write(text.slice(this.#written))
    this.#written = text.length
  }

  async finish(report: Report): Promise<void> {
    const { json, junit } = this.#options
    const forms = [
      [json, () => `${JSON.stringify(report, null, 2)}\n`],
      [junit, () => `${reportJunit(report)}\n`],
    ] as const
    if (this.#writesText) this.#world.stdout.write(`\n\n${summaryText(report, this.#style)}\n`)
    for (const [target, form] of forms) {
      if (target === '-') this.#world.stdout.write(form())
      else if (target !== undefined) await writeFile(target, form())
    }
  }
}
