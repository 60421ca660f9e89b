import { z } from 'zod'
import { kindOf, SetupError } from '../failures/setup-error.ts'
import type { ContextSchema } from '../run/context.ts'
import type { AgentGraph, LangChainAgent } from './graph-parts.ts'

/**
 * The compiled graph of what an agent's `graph` returned.
 *
 * @throws {SetupError} if there is none
 */
export function compiledGraph(made: AgentGraph | LangChainAgent): AgentGraph {
  const { graph, compile } = (made ?? {}) as { readonly graph?: unknown; compile?: unknown }
  for (const compiled of [graph, made]) if (isCompiled(compiled)) return compiled
  const hint = typeof compile === 'function' ? '; add .compile()' : ''
  throw new SetupError(`expected createGraph() to return a compiled graph, got ${kindOf(made)}${hint}`)
}

function isCompiled(value: unknown): value is AgentGraph {
  return typeof (value as Partial<AgentGraph> | undefined)?.invoke === 'function'
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
