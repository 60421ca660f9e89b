import { homedir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { format } from 'node:util'
import type { AgentDefinition } from '../agent/definition.ts'
import { type Config, filesToRead, PORT, readConfig } from '../config/config.ts'
import { SetupError } from '../failures/setup-error.ts'
import { type Address, listen } from '../http/server.ts'
import { type LineSink, type Log, prettySink, standardOutput } from '../log/log.ts'
import { PRICES_OF } from '../model/listed-prices.ts'
import { createService } from '../service/service.ts'
import { startUpMessage } from '../service/start-up-message.ts'
import { DELIVERY_MS } from '../telemetry/start-telemetry.ts'
import { addPermissions, settlePermissions } from './permissions.ts'
import { onEndSignal } from './signals.ts'
import { warmUp } from './warm-up.ts'

/** A second signal within this time is the first one repeated. */
const SAME_SIGNAL_MS = 1_000

/** Longest wait for the last log lines to be written; a reader that is slow or gone must not hold up the exit. */
const LAST_LINES_MS = 1_000

/**
 * Runs the process: reads the environment, listens, drains on SIGTERM or SIGINT. Only this file, `signals.ts` and
 * `node-version.js` may exit.
 *
 * @param agent what it serves
 * @param variables the environment
 * @param at where to listen, named by the log line `listening`
 */
export async function runProcess(
  agent: AgentDefinition,
  variables: NodeJS.ProcessEnv,
  at: Address = { port: PORT },
): Promise<void> {
  ensureHome(variables)
  let config: Config | undefined
  try {
    // The types forbid it, but Node runs a file that was never checked.
    if (typeof agent?.graph !== 'function')
      throw new SetupError('src/agent.ts: expected it to export agent = defineAgent({ … }), got none')
    addPermissions(filesToRead(agent, variables))
    config = readConfig(variables, agent)
    await start(agent, config, at)
  } catch (error) {
    const { port } = at
    const isPortTaken = (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'
    const reason = isPortTaken
      ? `port ${port} is in use; stop the process that holds it (lsof -i :${port}) and start again`
      : startUpMessage(error, config)
    process.stderr.write(`${reason}\n`)
    process.exit(1)
  }
}

/** A user id that the system does not know has no home directory, and libraries that look there for settings throw. */
function ensureHome(variables: NodeJS.ProcessEnv): void {
  try {
    homedir()
  } catch {
    variables.HOME = '/nonexistent'
  }
}

async function start(agent: AgentDefinition, config: Config, at: Address): Promise<void> {
  settlePermissions(config, agent.prepare)
  const terminal = await prettySink()
  const sink = terminal ?? standardOutput()
  const service = await createService(agent, config, sink)
  const { log, tasks, toolNames, models } = service
  reportCrashes(log, sink)
  captureConsole(log, config)
  agent.onStart?.(log)
  const descriptors = descriptorLimit()
  const maxConnections = Math.max(1, Math.floor((descriptors - RESERVED) / OF_TASK))
  const { address, port, drain } = await listen(service, { ...at, maxConnections })
  log.info(
    {
      address,
      port,
      agent_id: config.agent.id,
      provider: models[0]?.kind.provider,
      models: Object.fromEntries(models.map(({ entry, kind }) => [entry.name, kind.chatClass])),
      tools: toolNames,
      ...(config.model.provider === 'openai' && { prices_of: PRICES_OF }),
    },
    'listening',
  )
  if (maxConnections < config.maxConcurrentRuns)
    log.warn({ descriptors, max_tasks: maxConnections }, 'few file descriptors: raise ulimit -n')
  if (config.tokens.length === 0) log.warn('no AGENT_TOKENS: /run is open to every caller')
  void warmUp(
    agent,
    config,
    models.map(({ entry }) => entry),
    toolNames,
  )
  if (terminal) greet(port, models.map(({ entry }) => entry.name).join(', then '), config)

  let ending = false
  let nextStops = false
  onEndSignal(async signal => {
    if (nextStops) return fail(sink)
    // The terminal and npm each send the signal; only a later one comes from someone who will not wait.
    if (ending) return
    ending = true
    // Signals that came while the event loop was blocked are handled before `setImmediate`: they are no later ones.
    setTimeout(() => setImmediate(() => (nextStops = true)), SAME_SIGNAL_MS).unref()
    log.info({ signal, runs: tasks.inFlight }, 'draining')
    const endAt = performance.now() + config.shutdownGraceMs
    await drain(config.shutdownGraceMs)
    await service.close(Math.max(0, Math.min(DELIVERY_MS, endAt - performance.now())))
    log.info('stopped')
    await exit(sink)
  })
}

/** Prints the address, the model and a task to try. Never a token. */
function greet(port: number, models: string, { tokens }: Config): void {
  const bearer = tokens.length > 0 ? " -H 'Authorization: Bearer <one of AGENT_TOKENS>'" : ''
  process.stdout.write(`
The agent listens on http://localhost:${port} until Ctrl-C. Model: ${models}. Try it:

  curl -s localhost:${port}/run${bearer} -H 'Content-Type: application/json' \\
    -d '{"task_id": "test-1", "input": "What is 15% of 240?"}'

`)
}

/** Exits when the last log lines are written, with code 0 unless `fail` was called. */
async function exit(sink: LineSink): Promise<void> {
  await Promise.race([sink.flushed?.(), sleep(LAST_LINES_MS)])
  process.exit()
}

/** Like `exit`, with code 1, even if an `exit` under way comes first. */
async function fail(sink: LineSink): Promise<void> {
  process.exitCode = 1
  await exit(sink)
}

/** Logs an uncaught error and exits, so that the container runtime restarts the process. */
function reportCrashes(log: Log, sink: LineSink): void {
  const crash = (err: unknown) => {
    log.fatal({ err }, 'crashed')
    void fail(sink)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}

/** Console output would break the log's format of one JSON object per line, and might quote a task. */
function captureConsole(log: Log, { logErrors }: Config): void {
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    console[method] = (...words: unknown[]) => {
      if (logErrors === 'full') log.info({ method }, format(...words))
      else log.debug({ method }, 'a library wrote to the console')
    }
  }
}

/** What the process has open when it is idle, and opens for short times: files, names, connections that it refuses. */
const RESERVED = 48
/** That of the caller, and one to a model or another server. */
const OF_TASK = 2

/** How many file descriptors the process may have open; `Infinity` if the system sets no limit. Node has raised it as far as it may. */
function descriptorLimit(): number {
  // TypeScript does not know all of it yet.
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  const { excludeNetwork } = report
  // Otherwise the report looks up names.
  report.excludeNetwork = true
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  report.excludeNetwork = excludeNetwork
  const limit = userLimits?.open_files?.soft
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY
}
