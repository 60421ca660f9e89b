import { ModelDefinitionError } from '../graph/model/model-with-fallbacks.ts'
import { ToolDefinitionError } from '../graph/tools.ts'
import { ConfigError, readConfig } from './config.ts'
import { listen } from './http/server.ts'
import { type Log, prettySink } from './log.ts'
import { scrubKeyShapes } from './scrub.ts'
import { createService } from './service.ts'
import { onEndSignal } from './signals.ts'

/** Errors of the start whose message is written for whoever starts the process. */
const OURS = [ConfigError, ModelDefinitionError, ToolDefinitionError]

/**
 * The life of the process: reads the environment, listens, drains on SIGTERM or SIGINT. Only this file and
 * `signals.ts` exit.
 *
 * @param variables the environment
 * @param address where to listen; port 0: any that is free, told by the log line `listening`
 */
export async function runProcess(
  variables: NodeJS.ProcessEnv,
  address: { readonly port: number; readonly hostname: string },
): Promise<void> {
  try {
    await start(variables, address)
  } catch (error) {
    // The message of any other fault may quote a setting.
    const code = (error as { code?: string }).code ?? 'internal error'
    const isOurs = OURS.some(kind => error instanceof kind)
    const text = isOurs ? scrubKeyShapes((error as Error).message) : `cannot start: ${code}`
    process.stderr.write(`${text}\n`)
    process.exit(1)
  }
}

async function start(
  variables: NodeJS.ProcessEnv,
  address: { readonly port: number; readonly hostname: string },
): Promise<void> {
  const config = readConfig(variables)
  const service = await createService(config, { sink: await prettySink() })
  const { log, tasks, toolNames } = service
  reportCrashes(log)
  captureConsole(log)
  const { port, drain } = await listen(service, address)
  log.info(
    { port, agent_id: config.agent.id, provider: config.model.provider, tools: toolNames },
    'listening',
  )
  if (config.tokens.length === 0) log.warn('no AGENT_TOKENS: /run is open to every caller')

  let isEnding = false
  onEndSignal(async signal => {
    if (isEnding) process.exit(1)
    isEnding = true
    log.info({ signal, runs: tasks.inFlight }, 'draining')
    const endAt = performance.now() + config.shutdownGraceMs
    await drain(config.shutdownGraceMs)
    await service.close(Math.max(0, endAt - performance.now()))
    log.info('stopped')
    process.exit(0)
  })
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
