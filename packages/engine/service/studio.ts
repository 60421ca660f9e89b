import { createMask } from '@agent-task-service/wire/masking'
import type { AgentDefinition } from '../agent/definition.ts'
import { readConfig } from '../config/config.ts'
import { RunFailure } from '../failures/run-failure.ts'
import type { AgentGraph } from '../graph/graph-parts.ts'
import { createLog, type Log, logToolTrouble, prettySink } from '../log/log.ts'
import { type ContextSchema, contextSchemaFor, type RunContext } from '../run/context.ts'
import type { RunController } from '../run/deadline.ts'
import { limitsFor } from '../run/limits.ts'
import { Run } from '../run/run.ts'
import { createGraphParts, type Parts } from './service.ts'
import { startUpMessage } from './start-up-message.ts'

/** What LangGraph Studio's server calls for each run and each time it draws the graph. */
export type StudioGraph = (
  config?: unknown,
  options?: { executionRuntime?: { context?: RunContext } | null },
) => AgentGraph

/**
 * The agent for LangGraph Studio: one graph, and a new `Run` for each run. A run has the same budget and deadline as over
 * HTTP, counted from its start.
 *
 * @param variables the environment
 */
export async function inStudio(
  definition: AgentDefinition,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<StudioGraph> {
  // LangGraph's server sets it for itself.
  const config = readConfig({ ...variables, PORT: undefined }, definition)
  const log = createLog(config, createMask(config.secrets), await prettySink(true))
  /** @throws the error itself, for the server */
  const reported = (error: unknown): never => {
    process.stderr.write(`${startUpMessage(error, config)}\n`)
    throw error
  }
  const parts = await createGraphParts(definition, config, log).catch(reported)
  process.once('SIGTERM', () => void parts.close())
  const graph = graphPerRun(definition, parts, log, reported)
  return (_config, { executionRuntime } = {}) => graph(executionRuntime?.context ?? {})
}

/**
 * Returns the graph with a new `Run` at each call.
 *
 * @param reported throws the error with which the graph could not be built
 */
export function graphPerRun(
  { context }: Pick<AgentDefinition, 'context'>,
  parts: Parts,
  log: Log,
  reported: (error: unknown) => never,
): (settings: RunContext) => AgentGraph {
  const build = () => {
    try {
      return withSettingsForm(parts.buildGraph(), contextSchemaFor(context, parts, []))
    } catch (error) {
      return reported(error)
    }
  }
  let graph = build()
  let toolNames = namesOf(parts.tools)
  return settings => {
    // The form lists the tools, and LangChain caches the form.
    const names = namesOf(parts.tools)
    if (names !== toolNames) graph = build()
    toolNames = names
    const run = new Run({
      limits: limitsFor(parts.limits, settings),
      arrivedAt: performance.now(),
      context: settings,
      exemptions: parts.exemptions,
      watch: event => logToolTrouble(log, event),
    })
    return abortable(graph.withConfig(run.config(graph.config)), run.controller, context)
  }
}

function namesOf(tools: readonly { readonly name: string }[]): string {
  return tools.map(({ name }) => name).join()
}

/**
 * Gives the graph the run's own signal; when Studio's server cancels a call, the run ends. This is needed because
 * LangGraph drops the signal set by withConfig if a call passes its own. Every call goes through `stream`.
 */
function abortable(graph: AgentGraph, controller: RunController, schema: ContextSchema): AgentGraph {
  const stream = graph.stream.bind(graph)
  const abortableStream: typeof stream = (input, options) => {
    const cancel = () => controller.abort(new RunFailure('hang_up', 'the run was cancelled'))
    options?.signal?.addEventListener('abort', cancel, { once: true })
    // LangGraph itself fills in no defaults.
    const context = schema.parse(options?.context ?? {})
    return stream(input, { ...options, context, signal: controller.signal })
  }
  return Object.assign(graph, { stream: abortableStream })
}

/**
 * Studio's server (1.5) shows the form for a run's settings only if it does not recognise the state as a StateSchema.
 *
 * @param form for a graph that has none of its own, such as a prebuilt one
 */
function withSettingsForm(graph: AgentGraph, form: ContextSchema): AgentGraph {
  const builder = graph.builder as unknown as Record<string, object | symbol | undefined> | undefined
  // LangGraph's entrypoint() has none.
  if (!builder) return graph
  builder._configRuntimeSchema ??= form
  const has = (schema: object, key: PropertyKey) => key !== 'getJsonSchema' && key in schema
  for (const key of ['_schemaRuntimeDefinition', '_inputRuntimeDefinition', '_outputRuntimeDefinition']) {
    const schema = builder[key]
    if (typeof schema === 'object' && 'getJsonSchema' in schema) builder[key] = new Proxy(schema, { has })
  }
  return graph
}
