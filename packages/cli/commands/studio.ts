import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Config, readConfig } from '@agent-task-service/engine/config'
import { CommandLine, type Environment, UsageError } from '@agent-task-service/rehearsal/command-line'
import { createMask, maskKeyShapes } from '@agent-task-service/wire/masking'
import { type Command, usageOf } from '../command.ts'
import { ownAgent } from '../own-agent.ts'

const HOST = '127.0.0.1'
const CLI = fileURLToPath(import.meta.resolve('@langchain/langgraph-cli/dist/cli/cli.mjs'))
const LOADER = fileURLToPath(import.meta.resolve('@agent-task-service/cli/studio-loader'))
/** The last line of the server's greeting, which it prints before it is up. */
const END_OF_GREETING = 'For production use'
/** Node's line about a change, with all that the server was started with; the line before it names the file. */
const RESTARTING = "Restarting '"
/** How long it may take to write its threads to disk, in milliseconds. */
const GRACE_MS = 5_000

const OPTIONS = {
  '--port N': `to listen on, on ${HOST} (8123)`,
  '--config PATH': 'a langgraph.json, or its folder; threads are stored next to it (.)',
  '--no-reload': 'a change to a source file does not restart the server',
}
export const usage = usageOf('npm run studio -- [OPTION...]', OPTIONS)

/** @throws {UsageError} */
function readOptions(args: readonly string[]) {
  const line = new CommandLine(args, OPTIONS)
  line.expect(line.words.length === 0, `expected only options, got ${JSON.stringify(line.words[0])}`)
  const options = {
    port: line.wholeNumber('port', [1, 65_535], 8123),
    config: line.one('config') ?? '.',
    reload: !line.has('no-reload'),
  }
  line.end()
  return options
}

/** @throws {UsageError} if the port is in use */
async function expectFree(port: number): Promise<void> {
  const probe = createServer().listen(port, HOST)
  await once(probe, 'listening').catch(({ code }: NodeJS.ErrnoException) => {
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`
    throw new UsageError([
      `port ${port} on ${HOST} ${why}; choose another: npm run studio -- --port ${port + 1}`,
    ])
  })
  await new Promise(resolve => probe.close(resolve))
}

/** Starts the server in a separate process group: its three processes end together. */
function start(
  { port, config, reload }: ReturnType<typeof readOptions>,
  variables: Environment,
): ChildProcess {
  const args = ['dev', '--no-browser', '--host', HOST, '--port', String(port), '--config', config]
  if (!reload) args.push('--no-reload')
  const { LOG_LEVEL = 'warn', LOG_ERRORS = 'full' } = variables
  const env = {
    ...variables,
    LOG_LEVEL,
    LOG_ERRORS,
    LANGGRAPH_CLI_NO_ANALYTICS: '1',
    LANGGRAPH_NODE_LOADER: LOADER,
  }
  return spawn(process.execPath, [CLI, ...args], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Prints the server's output, without its greeting and without secrets. */
function show(server: ChildProcess, { secrets }: Config): void {
  const mask = createMask(secrets)
  let isGreeting = true
  for (const stream of [server.stdout, server.stderr]) {
    createInterface({ input: stream! }).on('line', line => {
      if (line === '' || line.startsWith(RESTARTING)) return
      if (!isGreeting || stream === server.stderr) process.stdout.write(`${maskKeyShapes(mask(line))}\n`)
      else if (line.startsWith(END_OF_GREETING)) isGreeting = false
    })
  }
}

/** Stops the server; resolves when nothing is left of its process group. */
async function stop(server: ChildProcess): Promise<void> {
  // Each process stops its child; a second signal from here would interrupt saving.
  server.kill('SIGTERM')
  const deadline = performance.now() + GRACE_MS
  while (signalGroup(server, 0)) {
    if (performance.now() > deadline) signalGroup(server, 'SIGKILL')
    await sleep(50)
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid!, signal)
  } catch {
    return false
  }
}

/** Resolves once the server answers or has exited. */
async function untilUp(server: ChildProcess, url: string): Promise<void> {
  while (server.exitCode === null && server.signalCode === null) {
    const response = await fetch(`${url}/ok`).catch(() => undefined)
    if (response?.ok) return
    await sleep(100)
  }
}

/** Prints the address to open once the graph is served. */
export const run: Command = async (args, env) => {
  const options = readOptions(args)
  const settings = readConfig(env, await ownAgent())
  await expectFree(options.port)
  const server = start(options, env)
  const ended = once(server, 'exit')
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
  await untilUp(server, url)
  if (server.exitCode === null && !isStopping) {
    process.stdout.write(`The graph is served at ${url} until Ctrl-C. See it in LangGraph Studio:\n\n`)
    process.stdout.write(`  https://smith.langchain.com/studio/?baseUrl=${url}\n\n`)
  }
  await ended
  await stop(server)
  return isStopping ? 0 : 1
}
