/** The process: reads the environment, listens, drains on SIGTERM or SIGINT. The only place that exits. */
import { serve } from '@hono/node-server'
import { createModels } from '../graph/model.ts'
import { createAgent } from '../graph/run.ts'
import { Toolset } from '../graph/toolset.ts'
import { createTools } from '../tools/registry.ts'
import { createApp } from './app.ts'
import { type Config, ConfigError, PORT, readConfig } from './config.ts'
import { createLog, prettySink } from './log.ts'
import { createScrub } from './scrub.ts'

async function start(config: Config): Promise<void> {
  const scrub = createScrub(config.secrets)
  const log = createLog(config.logLevel, scrub, await prettySink())
  const agent = createAgent({
    models: await createModels(config.model),
    tools: Toolset.of(createTools({ search: config.search })),
    systemPrompt: config.systemPrompt,
    limits: config.limits,
  })
  const lifecycle = { draining: false }
  const { app } = createApp({ config, agent, log, scrub, lifecycle })
  serve({ fetch: app.fetch, port: PORT, hostname: '0.0.0.0' }, () => {
    const { provider } = config.model
    log.info({ port: PORT, agent_id: config.agent.id, provider, tools: agent.toolNames }, 'listening')
    if (config.tokens.length === 0) log.warn('no AGENT_TOKENS: /run is open to every caller')
  })
}

try {
  await start(readConfig(process.env))
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
