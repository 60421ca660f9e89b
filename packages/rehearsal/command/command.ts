/** The acceptance checks as a command. */
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { AgentClient } from '../agents/agent-client.ts'
import { logFile, logStream } from '../agents/log-sources.ts'
import { AGENT_URL, isOwnAddress, plantSecrets, startOwnAgent, TOKEN_FILE } from '../agents/own-agent.ts'
import { startAgent } from '../agents/start-agent.ts'
import type { CheckOptions } from '../checks/options.ts'
import { runChecks } from '../checks/run-checks.ts'
import { type Environment, StartError, UsageError } from '../command-line.ts'
import { onEndSignal } from '../end-signal.ts'
import { isObject } from '../json.ts'
import { VERSION } from '../program.ts'
import type { Report } from '../report.ts'
import { runningPlatform } from '../running-platform.ts'
import { type CommandOptions, readOptions, USAGE } from './command-options.ts'
import { reportJunit } from './report-junit.ts'
import { reportText, summaryText } from './report-text.ts'

export { USAGE }

/** What the command reads and writes, besides files. */
export interface CommandWorld {
  readonly env: Environment
  readonly stdin: Readable
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable
  /** Stops the checks early. */
  readonly signal: AbortSignal
  /** The address of a platform that lists the report, too; undefined: none runs. */
  readonly platformUrl?: string | undefined
}

const EXIT = { passed: 0, failed: 1, incomplete: 2, usage: 64 } as const
/** A platform on this machine answers in milliseconds. */
const SHARE_MS = 2_000

/**
 * The command `staging:check`.
 *
 * @param args the arguments after the program's name
 * @returns its exit code
 */
export async function checkCommand(args: readonly string[], world: CommandWorld): Promise<number> {
  const { env, stdout, stderr } = world
  try {
    const options = await readOptions(args, env)
    if (options.help || options.version) {
      stdout.write(options.help ? USAGE : `${VERSION}\n`)
      return EXIT.passed
    }
    const report = await check(options, world)
    return EXIT[report.verdict ?? 'incomplete']
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    stderr.write(`${error.message}\n`)
    return EXIT.usage
  }
}

async function check(options: CommandOptions, world: CommandWorld): Promise<Report> {
  const { stdin, signal } = world
  const { agentId, tasks, image, only, concurrency, minutes, log, long } = options
  const printer = createPrinter(options, world)
  const stalledModel = options.stall === undefined ? undefined : await startStalledModel()
  // An agent that cannot be started gets a report like any other.
  const reached = await reachAgent(options, world, stalledModel?.url).catch((error: unknown): Reached => {
    if (!(error instanceof StartError)) throw error
    return { url: options.url ?? AGENT_URL, notStarted: error.message }
  })
  try {
    const report = await runChecks({
      ...reached,
      agentId,
      tasks,
      image,
      long,
      only,
      concurrency,
      totalMs: minutes === undefined ? undefined : minutes * 60_000,
      log: log === '-' ? logStream('standard input', stdin) : log === undefined ? undefined : logFile(log),
      signal,
      onProgress: printer.show,
    })
    await printer.finish(report)
    return report
  } finally {
    await reached.start?.end?.()
    stalledModel?.close()
  }
}

type Reached = Pick<CheckOptions, 'url' | 'token' | 'start' | 'notStarted' | 'startStalled'>

/** The agent that was named, or one that is started. */
async function reachAgent(
  options: CommandOptions,
  { env, signal }: CommandWorld,
  modelUrl: string | undefined,
): Promise<Reached> {
  const { url = AGENT_URL, token, start: command, stall } = options
  const again = <Started>(start: (environment: Environment) => Started) =>
    stall === undefined ? undefined : () => start({ OPENAI_API_KEY: 'none', ...env, [stall]: modelUrl })
  if (command !== undefined) {
    const start = (environment: Environment) => startAgent({ command, url, environment, signal })
    return { url, token, start: await start(env), startStalled: again(start) }
  }
  // The agent of `npm run staging` has a token of its own, made at each start.
  const ownToken = () => readFile(TOKEN_FILE, 'utf8').catch(() => undefined)
  if (options.url !== undefined)
    return { url, token: token ?? (isOwnAddress(url) ? await ownToken() : undefined) }
  const startOwn = (environment: Environment) => startOwnAgent(plantSecrets(environment), { signal })
  const own = await startOwn(env)
  const startStalled = again(async environment => (await startOwn(environment)).process)
  return { url, token: own.token, start: own.process, startStalled }
}

/** A model's address on the loopback interface that accepts every request and never answers. */
async function startStalledModel(): Promise<{ url: string; close(): void }> {
  const server = createServer(request => request.resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/v1`, close }
}

/** Writes the report: as text while it grows, unless standard output carries another format. */
function createPrinter({ json, junit }: CommandOptions, { stdout, env, platformUrl }: CommandWorld) {
  const style = { color: stdout.isTTY === true && !env.NO_COLOR }
  const writesText = json !== '-' && junit !== '-'
  let written = 0
  const show = (report: Report) => {
    const text = writesText ? reportText(report, style) : ''
    stdout.write(text.slice(written))
    written = text.length
  }
  const finish = async (report: Report) => {
    if (writesText) stdout.write(`\n\n${summaryText(report, style)}\n`)
    const forms = [
      [json, `${JSON.stringify(report, null, 2)}\n`],
      [junit, `${reportJunit(report)}\n`],
    ] as const
    for (const [target, text] of forms) {
      if (target === '-') stdout.write(text)
      else if (target !== undefined) await writeFile(target, text)
    }
    const page = platformUrl && (await shareReport(platformUrl, report))
    if (writesText && page) stdout.write(`\non the dashboard: ${page}\n`)
  }
  return { show, finish }
}

/**
 * Adds a report to those of a platform. Whatever goes wrong there does not concern the agent, nor who checks it.
 *
 * @returns its page on the dashboard; undefined if the platform did not take it
 */
async function shareReport(platformUrl: string, report: Report): Promise<string | undefined> {
  const { status, json } = await new AgentClient({ url: platformUrl }).request('POST', '/api/checks', {
    timeoutMs: SHARE_MS,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(report),
  })
  if (status !== 201 || !isObject(json)) return undefined
  return `${platformUrl}/#/checks/${json.id}`
}

/**
 * Runs the command `staging:check` in this process: on its standard streams, until a signal ends it.
 *
 * @param args the arguments after the program's name
 * @returns its exit code
 */
export async function runCheckCommand(args: readonly string[], env: Environment): Promise<number> {
  const ending = new AbortController()
  onEndSignal(() => ending.abort())
  const { stdin, stdout, stderr } = process
  // If the reader is gone, as with `| head`, stop the checks and the started agent; the exit code says enough.
  stdout.on('error', () => ending.abort())
  const { signal } = ending
  return await checkCommand(args, { env, stdin, stdout, stderr, signal, platformUrl: runningPlatform() })
}
