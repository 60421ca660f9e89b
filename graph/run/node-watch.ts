import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import type { Serialized } from '@langchain/core/load/serializable'
import { isGraphBubbleUp, START } from '@langchain/langgraph'
import type { CalledNode, NodeEnded, NodeStarted } from './events.ts'

/** LangGraph gives this tag to a node's own run, and to none inside it. */
const SUPERSTEP = /^graph:step:(\d+)$/

/** Reports when the graph's nodes run, those of subgraphs too, and knows in which node something happened. */
export class NodeWatch extends BaseCallbackHandler {
  override readonly name = 'node_watch'
  override readonly awaitHandlers = true
  override readonly ignoreLLM = true
  override readonly ignoreAgent = true
  override readonly ignoreRetriever = true
  readonly #record: (event: NodeStarted | NodeEnded) => void
  readonly #open = new Set<CalledNode>()
  /** The innermost node around each of LangChain's runs, by the run's id. */
  readonly #around = new Map<string | undefined, CalledNode>()
  readonly #failedIn = new WeakMap<object, string>()

  constructor(record: (event: NodeStarted | NodeEnded) => void) {
    super()
    this.#record = record
  }

  override handleChainStart(
    _chain: Serialized,
    _inputs: unknown,
    key: string,
    parentId?: string,
    tags: string[] = [],
    metadata: Record<string, unknown> = {},
  ): void {
    const outer = this.#around.get(parentId)
    const superstep = tags.map(tag => SUPERSTEP.exec(tag)?.[1]).find(found => found !== undefined)
    if (superstep === undefined || metadata.langgraph_node === START) {
      if (outer) this.#around.set(key, outer)
      return
    }
    const name = String(metadata.langgraph_node)
    const node = outer ? `${outer.node}/${name}` : name
    const called = { key, node, superstep: Number(superstep), outer: outer?.key }
    this.#around.set(key, called)
    this.#open.add(called)
    this.#record({ type: 'node_started', ...called })
  }

  override handleChainEnd(_outputs: unknown, key: string): void {
    this.#end(key)
  }

  override handleChainError(error: unknown, key: string): void {
    const called = this.#around.get(key)
    // The first to report it is the innermost.
    if (called && error instanceof Error && !this.#failedIn.has(error)) this.#failedIn.set(error, called.node)
    // By these, LangGraph leaves a node that did not fail.
    this.#end(key, isGraphBubbleUp(error) ? undefined : error)
  }

  override handleToolStart(_tool: Serialized, _args: string, key: string, parentId?: string): void {
    const outer = this.#around.get(parentId)
    if (outer) this.#around.set(key, outer)
  }

  /** The key of the node in which a run of LangChain's with this parent takes place. */
  keyAround(parentId: string | undefined): string | undefined {
    return this.#around.get(parentId)?.key
  }

  /** The node whose error this is. */
  nodeOf(error: unknown): string | undefined {
    return error instanceof Error ? this.#failedIn.get(error) : undefined
  }

  /** Ends the nodes that are still open, innermost first. */
  close(error: unknown): void {
    for (const { key } of [...this.#open].reverse()) this.#end(key, error)
  }

  #end(key: string, error?: unknown): void {
    const called = this.#around.get(key)
    this.#around.delete(key)
    if (called?.key !== key || !this.#open.delete(called)) return
    this.#record({ type: 'node_finished', ...called, ...(error !== undefined && { error }) })
  }
}
