import { textIn } from '@agent-task-service/wire/untrusted'
import { isGraphBubbleUp, START } from '@langchain/langgraph'
import type { RunEventOf } from './events.ts'

/** LangGraph gives this tag to a node's own run, and to none inside it. */
const SUPERSTEP = /^graph:step:(\d+)$/

export type Metadata = Readonly<Record<string, unknown>>

/** The key of the node in which a run of LangChain's takes place: LangGraph's namespace for it, such as `outer:id|inner:id`. */
export function nodeAround({ langgraph_checkpoint_ns: key }: Metadata): string | undefined {
  return textIn(key)
}

/** A node's name, by its key; in a subgraph, after those of the nodes around it: `outer/inner`. */
export function nodeNamed(key: string): string {
  // A node's second subgraph, and any later one, has its number between two names.
  const names = key.split('|').filter(part => part.includes(':'))
  return names.map(part => part.slice(0, part.lastIndexOf(':'))).join('/')
}

type NodeEvent = Omit<RunEventOf<'node_started'>, 'at'> | Omit<RunEventOf<'node_finished'>, 'at'>

interface OpenNode {
  readonly key: string
  readonly node: string
  /** Number of LangGraph's superstep; nodes of the same one run in parallel. */
  readonly superstep: number
  readonly outer: string | undefined
  /** The state that it got. */
  readonly input: unknown
}

export type EndedNode = Pick<OpenNode, 'key' | 'node' | 'input'>

/** Reports when the graph's nodes run, those of subgraphs too, and knows which one failed. */
export class NodeTracker {
  readonly #record: (event: NodeEvent) => void
  /** The nodes that run, by LangChain's id for it. */
  readonly #open = new Map<string, OpenNode>()
  readonly #failedIn = new WeakMap<object, string>()

  constructor(record: (event: NodeEvent) => void) {
    this.#record = record
  }

  start(runId: string, tags: readonly string[], metadata: Metadata, input?: unknown): void {
    const superstep = tags.map(tag => SUPERSTEP.exec(tag)?.[1]).find(found => found !== undefined)
    const key = nodeAround(metadata)
    if (superstep === undefined || key === undefined || metadata.langgraph_node === START) return
    const node = nodeNamed(key)
    const outer = key.replace(/(\|\d+)*(^|\|)[^|]*$/, '') || undefined
    const open = { key, node, superstep: Number(superstep), outer, input }
    this.#open.set(runId, open)
    this.#record({ type: 'node_started', data: { node, superstep: open.superstep }, key, outer })
  }

  /** @returns the node; `undefined` if the id is of something else */
  end(runId: string, error?: unknown): EndedNode | undefined {
    const open = this.#open.get(runId)
    if (!open) return undefined
    this.#open.delete(runId)
    const { key, node, superstep, outer } = open
    // The first to report it is the innermost.
    if (error instanceof Error && !this.#failedIn.has(error)) this.#failedIn.set(error, node)
    // By these, LangGraph leaves a node that did not fail.
    const failed = error !== undefined && !isGraphBubbleUp(error)
    this.#record({
      type: 'node_finished',
      data: { node, superstep, failed },
      key,
      outer,
      ...(failed && { error }),
    })
    return open
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
