import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import type { Serialized } from '@langchain/core/load/serializable'
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

/** Remembers which node asked for a thread, which LangGraph's error does not say. */
export class ThreadWatch extends BaseCallbackHandler {
  override readonly name = 'thread_watch'
  override readonly awaitHandlers = true
  override readonly ignoreLLM = true
  override readonly ignoreAgent = true
  override readonly ignoreRetriever = true
  readonly #nodes = new Map<string, unknown>()
  #asking: unknown

  override handleChainStart(
    _chain: Serialized,
    _inputs: unknown,
    id: string,
    _parentId?: string,
    _tags?: string[],
    metadata: Record<string, unknown> = {},
  ): void {
    this.#nodes.set(id, metadata.langgraph_node)
  }

  override handleChainError(error: unknown, id: string): void {
    // The first to report it is the innermost.
    if (isWithoutCheckpointer(error)) this.#asking ??= this.#nodes.get(id)
  }

  /** The run's end if a part of the graph needed a thread; else `undefined`. */
  failure(thrown: unknown): RunFailure | undefined {
    if (isWithoutCheckpointer(thrown)) {
      const where = this.#asking === undefined ? 'a node' : `the node ${JSON.stringify(this.#asking)}`
      const message = `${where} called interrupt(), which needs a thread; POST /run has none`
      return new RunFailure('not_over_http', message, { cause: thrown })
    }
    if (!(thrown instanceof Error && NEEDS_THREAD.test(thrown.message))) return undefined
    const message = 'the graph is compiled with a checkpointer, which needs a thread; POST /run has none'
    return new RunFailure('not_over_http', message, { cause: thrown })
  }
}

function isWithoutCheckpointer(error: unknown): boolean {
  return (error as { lc_error_code?: string } | undefined)?.lc_error_code === 'MISSING_CHECKPOINTER'
}
