import { Runnable } from '@langchain/core/runnables'
import { type AgentParts, type NodeConfig, type Scope, scopeOf } from './scope.ts'
import type { AgentState } from './state.ts'

type Work<Output> = (state: AgentState, scope: Scope) => Promise<Output> | Output

/**
 * A node, or the condition of an edge: a function of the state and of the run's scope. LangGraph would wrap a bare
 * function in layers that cost more than the graph's own work; handlers are told of the node either way.
 */
export class Step<Output> extends Runnable<AgentState, Output, NodeConfig> {
  override readonly lc_namespace = ['agent']
  readonly #parts: AgentParts
  readonly #work: Work<Output>

  constructor(name: string, parts: AgentParts, work: Work<Output>) {
    super()
    this.name = name
    this.#parts = parts
    this.#work = work
  }

  override async invoke(state: AgentState, config: Partial<NodeConfig> = {}): Promise<Output> {
    const scope = scopeOf(this.#parts, config as NodeConfig)
    // Nothing is begun in a run that has ended.
    scope.config.signal?.throwIfAborted()
    return await this.#work(state, scope)
  }
}
