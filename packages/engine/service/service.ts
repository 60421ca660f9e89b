import { createMask } from '@agent-task-service/wire/masking'
import { limitInterimReplies } from '@agent-task-service/wire/response-of'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import type { AgentDefinition } from '../agent/definition.ts'
import type { Config } from '../config/config.ts'
import { useProxies } from '../config/proxies.ts'
import { kindOf, SetupError } from '../failures/setup-error.ts'
import { compiledGraph } from '../graph/check-graph.ts'
import type { AgentGraph, GraphParts } from '../graph/graph-parts.ts'
import { createGraphRunner } from '../graph/invoke-graph.ts'
import { type App, createApp } from '../http/app.ts'
import { digestOf } from '../journal/call-keys.ts'
import { createLog, type LineSink, type Log } from '../log/log.ts'
import type { ListedModel } from '../model/listed-model.ts'
import type { ToolExemptions } from '../run/run.ts'
import { startTelemetry } from '../telemetry/start-telemetry.ts'
import { withTimeLimit } from '../tools/time-limit.ts'
import { combineModels, logNotRead } from './combine-models.ts'
import { supplyTools } from './tool-supply.ts'

export type { LineSink, Log }

export interface Service extends App {
  readonly log: Log
  readonly toolNames: readonly string[]
  /** In the order in which they are tried. */
  readonly models: readonly Pick<ListedModel, 'entry' | 'kind'>[]
  /**
   * Closes everything but the runs: connections to MCP servers and the programs it started, what the agent's owner made, the
   * ledger and, once its backlog is delivered, telemetry.
   *
   * @param timeLeftMs how long the delivery may take, in milliseconds; absent: 2 s
   */
  close(timeLeftMs?: number): Promise<void>
}

/** What a graph is built from, and what builds it. */
export interface Parts extends GraphParts {
  /** The agent's own, without those of MCP servers. */
  readonly ownTools: GraphParts['tools']
  readonly exemptions: ToolExemptions
  readonly streamModelInput: boolean
  /** Compiles the graph, always from the same parts. */
  buildGraph(): AgentGraph
  close(): Promise<void>
}

/**
 * Builds the parts of the agent's graph from the configuration; `close` releases them.
 *
 * @throws {SetupError} for a tool that cannot be offered
 */
export async function createGraphParts(
  agent: Pick<AgentDefinition, 'models' | 'tools' | 'parts' | 'graph' | 'context'>,
  config: Config,
  log: Log,
): Promise<Parts> {
  const { systemPrompt, limits, proxies, toolsAfterWeb, writtenCalls, streamModelInput } = config
  if (typeof agent.graph !== 'function')
    throw new SetupError(`expected graph to be a function that returns a graph, got ${kindOf(agent.graph)}`)
  logSettings(config, log)
  limitInterimReplies()
  if (proxies) useProxies(proxies)
  const model = await combineModels(agent, config, log)
  const supply = await supplyTools(config, agent.tools, log)
  const parts: GraphParts = { model, tools: supply.tools, systemPrompt, limits }
  const own = agent.parts?.(parts, config.settings) ?? parts
  const tools = supply.own.map(tool => [tool.name, tool] as const)
  return {
    ...parts,
    ownTools: supply.own,
    exemptions: { toolsAfterWeb, writtenCalls },
    streamModelInput,
    buildGraph: () => compiledGraph(agent.graph(own, config.settings), agent.context),
    close: async () => {
      await Promise.all([supply.close(), disposeOwned([['parts', own], ...tools], log)])
    },
  }
}

/** Logs what the operator should know of the environment. */
function logSettings({ misspelt, leftovers, notRead, tooShort, maskedByGuess }: Config, log: Log): void {
  for (const { name, meant } of misspelt) log.warn(`unknown variable ${name}; did you mean ${meant}?`)
  for (const line of [...leftovers, ...tooShort]) log.warn(line)
  logNotRead(notRead, log)
  if (maskedByGuess.length > 0) log.info({ variables: maskedByGuess }, 'masked by guess')
}

/**
 * Builds the service of an agent: models, tools, graph, HTTP edge. It does not listen yet.
 *
 * @param sink where log lines go; absent: standard output
 *
 * @example
 * const service = await createService(agent, readConfig({}, agent))
 * const reply = await service.app.request('/health')
 * await service.close()
 */
export async function createService(
  definition: AgentDefinition,
  config: Config,
  sink?: LineSink,
): Promise<Service> {
  const mask = createMask(config.secrets)
  const log = createLog(config, mask, sink)
  const parts = await createGraphParts(definition, config, log)
  const telemetry = await startTelemetry(config, log, mask)
  const graph = parts.buildGraph()
  const runner = await createGraphRunner(graph, parts, definition.context, telemetry.langSmith?.trace)
  const { hasDefaultId, replayTtlMs, share } = config
  const identity = { id: config.agent.id, hasDefaultId, digest: () => agentDigest(parts) }
  const host = { log, mask, agent: identity, replayTtlMs, metrics: telemetry.fleet }
  const ledger = await share?.extra.open(share.settings, host)
  const { renamedTools } = definition
  const app = createApp({ config, runner, renamedTools, log, mask, telemetry, ledger })
  const close = async (timeLeftMs?: number) => {
    ledger?.close()
    await Promise.all([parts.close(), telemetry.close(timeLeftMs)])
  }
  return { ...app, log, toolNames: runner.toolNames, models: parts.model.models, close }
}

/**
 * A digest of what an agent's answers depend on, so that none is replayed to another agent: its prompt, the names of its
 * models, and its own tools. MCP servers come and go, so theirs are not in it.
 *
 * @returns 43 characters
 */
function agentDigest({ systemPrompt, model, ownTools }: Parts): string {
  const models = model.models.map(({ entry }) => entry.name)
  const tools = ownTools.map(({ name, description, schema }) => [name, description, toJsonSchema(schema)])
  return digestOf([systemPrompt, models, tools])
}

/** How long what an agent's owner made may take, in milliseconds. */
const DISPOSE_MS = 5_000

/**
 * Disposes, at once and within 5 s, those parts and tools of an agent's owner that can be disposed. What fails is only logged:
 * nobody waits for it any more.
 *
 * @param owned by the name that the log gives it
 */
async function disposeOwned(owned: readonly (readonly [name: string, object])[], log: Log): Promise<void> {
  await Promise.all(
    owned.map(async ([name, value]) => {
      const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = value as Partial<
        AsyncDisposable & Disposable
      >
      const dispose = later ?? now
      if (!dispose) return
      const timeoutError = () => new Error(`took longer than ${DISPOSE_MS / 1000} s`)
      try {
        await withTimeLimit(undefined, DISPOSE_MS, async () => await dispose.call(value), timeoutError)
      } catch (err) {
        log.warn({ what: name, err }, 'not disposed')
      }
    }),
  )
}
