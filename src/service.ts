import type { NamedModel } from '../graph/model.ts'
import { createModels } from '../graph/model.ts'
import { createAgent } from '../graph/run.ts'
import type { AgentParts } from '../graph/scope.ts'
import { Toolset } from '../graph/toolset.ts'
import { createTools } from '../tools/registry.ts'
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

/** What the agent's graph is made of, from the configuration. */
export async function createParts(
  { model, search, systemPrompt, limits }: Config,
  { models, tools }: Pick<ServiceOptions, 'models' | 'tools'> = {},
): Promise<AgentParts> {
  return {
    models: models ?? (await createModels(model)),
    tools: Toolset.of(tools ?? createTools({ search })),
    systemPrompt,
    limits,
  }
}

/** Puts the service together from its configuration: models, tools, agent, HTTP edge. It listens nowhere yet. */
export async function createService(
  config: Config,
  { sink, models, tools }: ServiceOptions = {},
): Promise<Service> {
  const scrub = createScrub(config.secrets)
  const log = createLog(config.logLevel, scrub, sink)
  const agent = createAgent(await createParts(config, { models, tools }))
  const lifecycle: Lifecycle = { draining: false }
  const { app, tasks } = createApp({ config, agent, log, scrub, lifecycle })
  return { app, tasks, log, lifecycle, toolNames: agent.toolNames }
}
