import { Runnable } from '@langchain/core/runnables'
import type { NodeConfig } from './scope.ts'
import type { AgentState } from './state.ts'

/**
 * A node, or the condition of an edge: a function of the state. LangGraph would wrap a bare function in layers that
 * cost more than the graph's own work; handlers are told of the node either way.
 */
export class Step<Output> extends Runnable<AgentState, Output, NodeConfig> {
  override readonly lc_namespace = ['agent']
  readonly #work: (state: AgentState, config: NodeConfig) => Promise<Output> | Output

  constructor(name: string, work: (state: AgentState, config: NodeConfig) => Promise<Output> | Output) {
    super()
    this.name = name
    this.#work = work
  }

  override async invoke(state: AgentState, config: Partial<NodeConfig> = {}): Promise<Output> {
    return await this.#work(state, config as NodeConfig)
  }
}
