/** The process: reads the environment, listens, drains on SIGTERM or SIGINT. The only place that exits. */
import { ConfigError, PORT, readConfig } from './config.ts'
import { type Log, prettySink } from './log.ts'
import { listen } from './server.ts'
import { createService } from './service.ts'

async function start(): Promise<void> {
  const config = readConfig(process.env)
  const service = await createService(config, { sink: await prettySink() })
  const { log } = service
  reportCrashes(log)
  captureConsole(log)
  const listening = await listen(service, { port: PORT, hostname: '0.0.0.0' })
  const { provider } = config.model
  log.info({ port: PORT, agent_id: config.agent.id, provider, tools: service.toolNames }, 'listening')
  if (config.tokens.length === 0) log.warn('no AGENT_TOKENS: /run is open to every caller')

  let told = false
  const end = async (signal: NodeJS.Signals) => {
    if (told) process.exit(1)
    told = true
    log.info({ signal, runs: service.tasks.inFlight }, 'draining')
    await listening.drain(config.shutdownGraceMs)
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
}

/** A fault that nothing caught: one line, and the container runtime starts afresh. */
function reportCrashes(log: Log): void {
  const crash = (err: unknown) => {
    log.fatal({ err }, 'crashed')
    process.exit(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}

/** Libraries that write to the console would break the log's one JSON object a line, and might quote a task. */
function captureConsole(log: Log): void {
  for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
    console[method] = () => log.debug({ method }, 'a library wrote to the console')
  }
}

try {
  await start()
} catch (error) {
  // The message of any other fault may quote a setting.
  const text =
    error instanceof ConfigError
      ? error.message
      : `cannot start: ${(error as { code?: string }).code ?? 'internal error'}`
  process.stderr.write(`${text}\n`)
  process.exitCode = 1
}
