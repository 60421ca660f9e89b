import type { NamedModel } from '../graph/model.ts'
import { createModels } from '../graph/model.ts'
import { createAgent } from '../graph/run.ts'
import type { AgentParts } from '../graph/scope.ts'
import { Toolset } from '../graph/toolset.ts'
import { createTools } from '../tools/create-tools.ts'
import { missingSecrets, withSecrets } from '../tools/secrets.ts'
import type { Tool } from '../tools/tool.ts'
import { type App, createApp } from './app.ts'
import type { Config } from './config.ts'
import type { Lifecycle } from './health.ts'
import { createLog, type LineSink, type Log } from './log.ts'
import { createScrub } from './scrub.ts'

/** What a program that embeds the service may bring itself. */
export interface ServiceOptions {
  /** Where log lines go; absent: standard output. */
  readonly sink?: LineSink | undefined
  /** Absent: the models of the configuration. */
  readonly models?: readonly NamedModel[] | undefined
  /** Absent: the tools of the registry. */
  readonly tools?: readonly Tool[] | undefined
}

export interface Service extends App {
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly toolNames: readonly string[]
}

/**
 * What the agent's graph is made of, from the configuration.
 *
 * @throws {ToolDefinitionError} for a tool that cannot be offered as it is
 */
export async function createParts(
  { model, search, toolSecrets, systemPrompt, limits }: Config,
  log: Log,
  { models, tools = createTools({ search }) }: Pick<ServiceOptions, 'models' | 'tools'> = {},
): Promise<AgentParts> {
  return {
    models: models ?? (await createModels(model)),
    tools: Toolset.of(configured(tools, toolSecrets, log)),
    systemPrompt,
    limits,
  }
}

/** The tools that have their secrets, with them. */
function configured(tools: readonly Tool[], secrets: Config['toolSecrets'], log: Log): Tool[] {
  return tools.flatMap(tool => {
    const missing = missingSecrets(tool, secrets)
    if (missing.length === 0) return [withSecrets(tool, secrets)]
    log.warn({ tool: tool.name, missing }, 'tool not offered: its secrets are not set')
    return []
  })
}

/** Puts the service together from its configuration: models, tools, agent, HTTP edge. It listens nowhere yet. */
export async function createService(
  config: Config,
  { sink, models, tools }: ServiceOptions = {},
): Promise<Service> {
  const scrub = createScrub(config.secrets)
  const log = createLog(config.logLevel, scrub, sink)
  const agent = createAgent(await createParts(config, log, { models, tools }))
  const lifecycle: Lifecycle = { draining: false }
  const { app, tasks } = createApp({ config, agent, log, scrub, lifecycle })
  return { app, tasks, log, lifecycle, toolNames: agent.toolNames }
}
