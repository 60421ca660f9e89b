/** The entry point for LangGraph Studio, named in `langgraph.json`: one graph, and a new `Run` for each run. */

import { createScrub } from '@agent-task-service/masking'
import { type AgentGraph, createGraph } from '../graph/graph.ts'
import { limitsFor } from '../graph/parts.ts'
import type { EndOfRun } from '../graph/run/deadline-and-hang-up.ts'
import { RunFailure } from '../graph/run/failure.ts'
import { Run } from '../graph/run/run.ts'
import { AgentContext } from '../graph/state.ts'
import { readConfig } from './config.ts'
import { createLog, logToolTrouble, prettySink } from './log.ts'
import { createParts } from './service.ts'
import { startUpError } from './start-up-error.ts'

const config = readConfig(process.env)
const log = createLog(config, createScrub(config.secrets), await prettySink(true))
const parts = await createParts(config, log).catch(reported)
let graph = build()
let toolNames = namesOf(parts.tools)
process.once('SIGTERM', () => void parts.close())

/**
 * Studio's server calls this for each run and each time it draws the graph. A run has the same budget and deadline as
 * over HTTP, counted from now.
 */
export function agent(
  _config?: unknown,
  { executionRuntime }: { executionRuntime?: { context?: AgentContext } | null } = {},
) {
  // The form lists the tools, and LangChain caches the form.
  const names = namesOf(parts.tools)
  if (names !== toolNames) graph = build()
  toolNames = names
  const run = new Run({
    limits: limitsFor(parts, executionRuntime?.context ?? {}),
    arrivedAt: performance.now(),
    watch: event => logToolTrouble(log, event),
  })
  return withEnd(graph.withConfig(run.config()), run.end)
}

function build(): AgentGraph {
  try {
    return withSettingsForm(createGraph(parts))
  } catch (error) {
    return reported(error)
  }
}

function namesOf(tools: readonly { readonly name: string }[]): string {
  return tools.map(({ name }) => name).join()
}

/** @throws the error itself, for the server */
function reported(error: unknown): never {
  process.stderr.write(`${startUpError(error, config)}\n`)
  throw error
}

/**
 * Gives the graph the run's own signal; when Studio's server cancels a call, the run ends. This is needed because
 * LangGraph drops the signal set by withConfig if a call passes its own. Every call goes through `stream`.
 */
function withEnd(graph: AgentGraph, end: EndOfRun): AgentGraph {
  const stream = graph.stream.bind(graph)
  const untilEnd: typeof stream = (input, options) => {
    const cancel = () => end.end(new RunFailure('hang_up', 'the run was cancelled'))
    options?.signal?.addEventListener('abort', cancel, { once: true })
    // LangGraph itself fills in no defaults, and its types make every optional setting required.
    const context = AgentContext.parse(options?.context ?? {}) as Required<AgentContext>
    return stream(input, { ...options, context, signal: end.signal })
  }
  return Object.assign(graph, { stream: untilEnd })
}

/** Studio's server (1.5) shows the form for a run's settings only if it does not recognise the state as a StateSchema. */
function withSettingsForm(graph: AgentGraph): AgentGraph {
  const builder = graph.builder as unknown as Record<string, object | symbol | undefined>
  const has = (schema: object, key: PropertyKey) => key !== 'getJsonSchema' && key in schema
  for (const key of ['_schemaRuntimeDefinition', '_inputRuntimeDefinition', '_outputRuntimeDefinition']) {
    const schema = builder[key]
    if (typeof schema === 'object' && 'getJsonSchema' in schema) builder[key] = new Proxy(schema, { has })
  }
  return graph
}
