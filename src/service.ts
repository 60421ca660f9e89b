import { createAgent } from '../graph/agent.ts'
import { createModel } from '../graph/model/model-with-fallbacks.ts'
import { createModels, type ModelEntry } from '../graph/model/models.ts'
import type { AgentParts } from '../graph/parts.ts'
import { createTools } from '../tools/create-tools.ts'
import type { AgentTool } from '../tools/tool.ts'
import type { Config } from './config.ts'
import { type App, createApp } from './http/app.ts'
import type { Lifecycle } from './http/health.ts'
import { createLog, type LineSink, type Log } from './log.ts'
import { createScrub } from './scrub.ts'
import type { Ledger } from './tasks/ledger.ts'
import { startTelemetry, type Telemetry } from './telemetry.ts'
import { supplyTools } from './tool-supply.ts'

/** What a program that embeds the service may bring itself. */
export interface ServiceOptions {
  /** Where log lines go; absent: standard output. */
  readonly sink?: LineSink | undefined
  /** Absent: the models of the configuration. */
  readonly models?: readonly ModelEntry[] | undefined
  /** Absent: the tools of the registry. */
  readonly tools?: readonly AgentTool[] | undefined
}

export interface Service extends App {
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly toolNames: readonly string[]
  /** In the order in which they are asked. */
  readonly modelNames: readonly string[]
  /**
   * Ends what the service has begun besides its runs: connections to MCP servers, the programs among them, and, when
   * what is waiting has been delivered, telemetry.
   *
   * @param timeLeftMs how long it may take, in milliseconds
   */
  close(timeLeftMs?: number): Promise<void>
}

/**
 * What the agent's graph is made of, from the configuration; `close` ends what it holds.
 *
 * @throws {ToolDefinitionError} for a tool that cannot be offered as it is
 */
export async function createParts(
  config: Config,
  log: Log,
  { models, tools }: Pick<ServiceOptions, 'models' | 'tools'> = {},
): Promise<AgentParts & { readonly modelNames: readonly string[]; close(): Promise<void> }> {
  const { model, systemPrompt, limits, misspelt } = config
  for (const { name, meant } of misspelt) log.warn(`${name} means nothing here; is it ${meant}?`)
  const entries = models ?? (await createModels(model))
  const supply = await supplyTools(config, tools ?? createTools(config), log)
  return {
    model: createModel(entries),
    modelNames: entries.map(({ name }) => name),
    tools: supply.tools,
    systemPrompt,
    limits,
    close: () => supply.close(),
  }
}

/** Puts the service together from its configuration: models, tools, agent, HTTP edge. It listens nowhere yet. */
export async function createService(
  config: Config,
  { sink, models, tools }: ServiceOptions = {},
): Promise<Service> {
  const scrub = createScrub(config.secrets)
  const log = createLog(config, scrub, sink)
  const parts = await createParts(config, log, { models, tools })
  const telemetry = await startTelemetry(config, log, scrub)
  const agent = createAgent(parts, telemetry.langSmith?.trace)
  const ledger = await openLedger(config, log, telemetry)
  const lifecycle: Lifecycle = { draining: false }
  const { app, tasks } = createApp({ config, agent, log, scrub, lifecycle, telemetry, ledger })
  const close = async (timeLeftMs?: number) => {
    ledger?.close()
    await Promise.all([parts.close(), telemetry.close(timeLeftMs)])
  }
  const { modelNames } = parts
  return { app, tasks, log, lifecycle, toolNames: agent.toolNames, modelNames, close }
}

/** What is shared with other replicas; loads nothing where nothing is. */
async function openLedger(
  { redis: settings, agent, replayTtlMs }: Config,
  log: Log,
  { shares }: Telemetry,
): Promise<Ledger | undefined> {
  if (!settings) return undefined
  const { RedisLedger } = await import('./fleet/redis-ledger.ts')
  return await RedisLedger.open({ settings, agentId: agent.id, replayTtlMs, log, onChange: shares })
}
