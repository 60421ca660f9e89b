import { isGraphBubbleUp, START } from '@langchain/langgraph'
import type { CalledNode, NodeEnded, NodeStarted } from './events.ts'

/** LangGraph gives this tag to a node's own run, and to none inside it. */
const SUPERSTEP = /^graph:step:(\d+)$/

export type Metadata = Readonly<Record<string, unknown>>

/** The key of the node in which a run of LangChain's takes place: LangGraph's namespace for it, such as `outer:id|inner:id`. */
export function nodeAround({ langgraph_checkpoint_ns: key }: Metadata): string | undefined {
  return typeof key === 'string' && key !== '' ? key : undefined
}

/** Reports when the graph's nodes run, those of subgraphs too, and knows which one failed. */
export class NodeWatch {
  readonly #record: (event: NodeStarted | NodeEnded) => void
  /** The nodes that run, by LangChain's id for it. */
  readonly #open = new Map<string, CalledNode>()
  readonly #failedIn = new WeakMap<object, string>()

  constructor(record: (event: NodeStarted | NodeEnded) => void) {
    this.#record = record
  }

  start(runId: string, tags: readonly string[], metadata: Metadata): void {
    const superstep = tags.map(tag => SUPERSTEP.exec(tag)?.[1]).find(found => found !== undefined)
    const key = nodeAround(metadata)
    if (superstep === undefined || key === undefined || metadata.langgraph_node === START) return
    // A node's second subgraph, and any later one, has its number between two names.
    const names = key.split('|').filter(part => part.includes(':'))
    const node = names.map(part => part.slice(0, part.lastIndexOf(':'))).join('/')
    const outer = key.replace(/(\|\d+)*(^|\|)[^|]*$/, '') || undefined
    const called = { key, node, superstep: Number(superstep), outer }
    this.#open.set(runId, called)
    this.#record({ type: 'node_started', ...called })
  }

  end(runId: string, error?: unknown): void {
    const called = this.#open.get(runId)
    if (!called) return
    this.#open.delete(runId)
    // The first to report it is the innermost.
    if (error instanceof Error && !this.#failedIn.has(error)) this.#failedIn.set(error, called.node)
    // By these, LangGraph leaves a node that did not fail.
    const hasFailed = error !== undefined && !isGraphBubbleUp(error)
    this.#record({ type: 'node_finished', ...called, ...(hasFailed && { error }) })
  }

  /** The node whose error this is. */
  nodeOf(error: unknown): string | undefined {
    return error instanceof Error ? this.#failedIn.get(error) : undefined
  }

  /** Ends the nodes that are still open, innermost first. */
  close(error: unknown): void {
    for (const runId of [...this.#open.keys()].reverse()) this.end(runId, error)
  }
}
