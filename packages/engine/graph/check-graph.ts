import { getInteropZodObjectShape } from '@langchain/core/utils/types'
import { z } from 'zod'
import { kindOf, SetupError } from '../failures/setup-error.ts'
import type { ContextSchema } from '../run/context.ts'
import type { AgentGraph, LangChainAgent } from './graph-parts.ts'

/**
 * The compiled graph of what an agent's `graph` returned.
 *
 * @param settings those that a run may have
 * @throws {SetupError} if there is none, or one that no task can reach
 */
export function compiledGraph(made: AgentGraph | LangChainAgent, settings: ContextSchema): AgentGraph {
  const { graph, compile } = (made ?? {}) as { readonly graph?: unknown; compile?: unknown }
  for (const compiled of [graph, made]) if (isCompiled(compiled)) return expectReachable(compiled, settings)
  const hint = typeof compile === 'function' ? '; add .compile()' : ''
  throw new SetupError(`expected createGraph() to return a compiled graph, got ${kindOf(made)}${hint}`)
}

function isCompiled(value: unknown): value is AgentGraph {
  return typeof (value as Partial<AgentGraph> | undefined)?.invoke === 'function'
}

function expectReachable(graph: AgentGraph, settings: ContextSchema): AgentGraph {
  // LangGraph's entrypoint() has none.
  if (!graph.builder) return graph
  const { _inputDefinition: input, _outputDefinition: output, _configRuntimeSchema: context } = graph.builder
  for (const [end, channels, isFit] of [
    ['input', input, 'messages' in input],
    ['output', output, 'messages' in output || 'structuredResponse' in output],
  ] as const) {
    if (isFit) continue
    const got = Object.keys(channels).join(', ')
    throw new SetupError(
      `expected messages in the ${end} of the graph, got ${got}: the task comes in as its only message, and the last one is the answer. Add messages: MessagesValue to the state`,
    )
  }
  const declared = context ? Object.keys(getInteropZodObjectShape(context)) : []
  const unset = declared.filter(name => !(name in settings.shape))
  if (unset.length > 0)
    throw new SetupError(
      `the graph's context schema has ${unset.join(', ')}, which no request can set: declare it in the context of src/agent.ts too`,
    )
  return graph
}

/** @throws {SetupError} if the graph keeps threads, or stops at a node until somebody continues it */
export function expectNoThreads({ checkpointer, interruptBefore, interruptAfter }: AgentGraph): void {
  if (checkpointer)
    throw new SetupError(
      'the graph is compiled with a checkpointer, which needs a thread; POST /run has none. In Studio, threads are kept without one',
    )
  for (const [option, nodes] of Object.entries({ interruptBefore, interruptAfter })) {
    if (nodes === undefined || nodes.length === 0) continue
    const where = nodes === '*' ? 'every node' : [...nodes].join(', ')
    throw new SetupError(
      `the graph is compiled with ${option} (${where}), which needs a thread; POST /run has none. In Studio, set breakpoints instead`,
    )
  }
}

/**
 * Equal tasks are recognised by their settings as JSON, in which all dates, sets and the like would be the same.
 *
 * @throws {SetupError} for a setting whose value JSON cannot hold
 */
export function expectJsonSettings(schema: ContextSchema): void {
  for (const [name, type] of Object.entries(schema.shape)) {
    try {
      z.toJSONSchema(type)
    } catch (error) {
      throw new SetupError(
        `the setting "${name}" in AgentContext: expected a type whose values JSON can hold: ${(error as Error).message}. Convert it in the node`,
      )
    }
  }
}
