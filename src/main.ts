/** The process: reads the environment, listens, drains on SIGTERM or SIGINT. The only place that exits. */
import { serve } from '@hono/node-server'
import { ConfigError, PORT, readConfig } from './config.ts'
import { prettySink } from './log.ts'
import { createService } from './service.ts'

async function start(): Promise<void> {
  const config = readConfig(process.env)
  const { app, log, toolNames } = await createService(config, { sink: await prettySink() })
  serve({ fetch: app.fetch, port: PORT, hostname: '0.0.0.0' }, () => {
    log.info(
      { port: PORT, agent_id: config.agent.id, provider: config.model.provider, tools: toolNames },
      'listening',
    )
    if (config.tokens.length === 0) log.warn('no AGENT_TOKENS: /run is open to every caller')
  })
}

try {
  await start()
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
