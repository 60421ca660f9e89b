import { z } from 'zod'
import type { AgentGraph } from './graph.ts'
import { RunFailure } from './run/failure.ts'
import { AgentContext } from './state.ts'

/** A graph that cannot be served over HTTP. */
export class GraphDefinitionError extends Error {
  override readonly name = 'GraphDefinitionError'
}

/** @throws {GraphDefinitionError} if the graph stops at a node until somebody continues it */
export function expectNoStaticInterrupts({ interruptBefore, interruptAfter }: AgentGraph): void {
  for (const [option, nodes] of Object.entries({ interruptBefore, interruptAfter })) {
    if (nodes === undefined || nodes.length === 0) continue
    const where = nodes === '*' ? 'every node' : [...nodes].join(', ')
    throw new GraphDefinitionError(
      `the graph is compiled with ${option} (${where}), which needs a thread; POST /run has none. In Studio, set breakpoints instead`,
    )
  }
}

/**
 * Equal tasks are recognised by their settings as JSON, in which all dates, sets and the like would be the same.
 *
 * @throws {GraphDefinitionError} for a setting whose value JSON cannot hold
 */
export function expectJsonSettings(): void {
  for (const [name, type] of Object.entries(AgentContext.shape)) {
    try {
      z.toJSONSchema(type)
    } catch (error) {
      throw new GraphDefinitionError(
        `the setting "${name}" in AgentContext: expected a type whose values JSON can hold: ${(error as Error).message}. Convert it in the node`,
      )
    }
  }
}

/** The errors of LangGraph and its checkpointers for a run without a thread. */
const NEEDS_THREAD = /^Checkpointer requires one or more|missing a required "thread_id"/

/**
 * The run's end if a part of the graph needed a thread; else `undefined`.
 *
 * @param node the one that threw, if known
 */
export function threadFailure(thrown: unknown, node: string | undefined): RunFailure | undefined {
  if ((thrown as { lc_error_code?: string } | undefined)?.lc_error_code === 'MISSING_CHECKPOINTER') {
    const where = node === undefined ? 'a node' : `the node ${JSON.stringify(node)}`
    const message = `${where} called interrupt(), which needs a thread; POST /run has none`
    return new RunFailure('not_over_http', message, { cause: thrown })
  }
  if (!(thrown instanceof Error && NEEDS_THREAD.test(thrown.message))) return undefined
  const message = 'the graph is compiled with a checkpointer, which needs a thread; POST /run has none'
  return new RunFailure('not_over_http', message, { cause: thrown })
}
