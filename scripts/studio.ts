/** Run by `npm run studio`: serves the graph for LangGraph Studio and prints the address to open. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Config, ConfigError, readConfig } from '../src/config.ts'
import { createScrub, scrubKeyShapes } from '../src/scrub.ts'
import { CommandLine, optionsText, UsageError } from '../staging/command-line.ts'

const HOST = '127.0.0.1'
const CLI = fileURLToPath(import.meta.resolve('@langchain/langgraph-cli/dist/cli/cli.mjs'))
/** The last line of the server's greeting, which it prints before it is up. */
const END_OF_GREETING = 'For production use'
/** How long it may take to write its threads to disk, in milliseconds. */
const GRACE_MS = 5_000

/** Why it does not start; the message is for the terminal. */
class StartError extends Error {
  override readonly name = 'StartError'
}

const ROWS = [
  { option: '--port N', meaning: `to listen on, on ${HOST} (8123)` },
  {
    option: '--config PATH',
    meaning: 'a langgraph.json, or its folder; threads are stored next to it (.)',
  },
  { option: '--no-reload', meaning: 'a change to a source file does not restart the server' },
]
const USAGE = `npm run studio -- [OPTION...]

Serves the graph for LangGraph Studio, and prints the address to open.

${optionsText(ROWS)}
`

/** @throws {UsageError} */
function readOptions() {
  const line = new CommandLine(process.argv.slice(2), ROWS)
  line.expect(line.words.length === 0, `expected only options, got ${JSON.stringify(line.words[0])}`)
  const options = {
    help: line.has('help'),
    port: line.wholeNumber('port', [1, 65_535], 8123),
    config: line.one('config') ?? '.',
    reload: !line.has('no-reload'),
  }
  line.end()
  return options
}

/** @throws {StartError} if the port is in use */
async function expectFree(port: number): Promise<void> {
  const probe = createServer().listen(port, HOST)
  try {
    await once(probe, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`
    throw new StartError(
      `port ${port} on ${HOST} ${why}; choose another: npm run studio -- --port ${port + 1}`,
    )
  }
  await new Promise(resolve => probe.close(resolve))
}

/** Starts the server in a separate process group: its three processes end together. */
function start({ port, config, reload }: ReturnType<typeof readOptions>): ChildProcess {
  const args = ['dev', '--no-browser', '--host', HOST, '--port', String(port), '--config', config]
  if (!reload) args.push('--no-reload')
  const { LOG_LEVEL = 'warn', LOG_ERRORS = 'full' } = process.env
  const env = { ...process.env, LOG_LEVEL, LOG_ERRORS, LANGGRAPH_CLI_NO_ANALYTICS: '1' }
  return spawn(process.execPath, [CLI, ...args], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Prints the server's output, without its greeting and without secrets. */
function show(server: ChildProcess, { secrets }: Config): void {
  const scrub = createScrub(secrets)
  let isGreeting = true
  for (const stream of [server.stdout, server.stderr]) {
    createInterface({ input: stream! }).on('line', line => {
      if (line === '') return
      if (!isGreeting || stream === server.stderr) process.stdout.write(`${scrubKeyShapes(scrub(line))}\n`)
      else if (line.startsWith(END_OF_GREETING)) isGreeting = false
    })
  }
}

/** Stops the server; resolves when nothing is left of its process group. */
async function stop(server: ChildProcess): Promise<void> {
  const { pid } = server
  // Each process stops its child; a second signal from here would interrupt saving.
  server.kill('SIGTERM')
  const deadline = performance.now() + GRACE_MS
  while (signalGroup(pid!, 0)) {
    if (performance.now() > deadline) signalGroup(pid!, 'SIGKILL')
    await sleep(50)
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}

/** Resolves to true once the server answers, or to false if it exits first. */
async function isUp(url: string, ended: Promise<void>): Promise<boolean> {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!isOver) {
    const response = await fetch(`${url}/ok`).catch(() => undefined)
    if (response?.ok) return true
    await sleep(100)
  }
  return false
}

async function main(): Promise<number> {
  const options = readOptions()
  if (options.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const settings = readConfig(process.env)
  await expectFree(options.port)
  const server = start(options)
  const ended = once(server, 'exit').then(() => undefined)
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // The terminal and npm each send it; pass it on only once.
      if (!isStopping) void stop(server)
      isStopping = true
    })
  }
  show(server, settings)
  const url = `http://${HOST}:${options.port}`
  if (await isUp(url, ended)) {
    process.stdout.write(`The graph is served at ${url} until Ctrl-C. See it in LangGraph Studio:\n\n`)
    process.stdout.write(`  https://smith.langchain.com/studio/?baseUrl=${url}\n\n`)
  }
  await ended
  await stop(server)
  return isStopping ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  if (![StartError, ConfigError, UsageError].some(kind => error instanceof kind)) throw error
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = error instanceof UsageError ? 64 : 1
}
