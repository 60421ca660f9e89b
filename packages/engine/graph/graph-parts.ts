import type { BaseMessage } from '@langchain/core/messages'
import type { StructuredToolInterface } from '@langchain/core/tools'
import type { CompiledStateGraph, LangGraphRunnableConfig } from '@langchain/langgraph'
import type { ModelWithFallbacks } from '../model/model-with-fallbacks.ts'
import type { RunContext } from '../run/context.ts'
import type { Limits } from '../run/limits.ts'

/** What the engine gives a graph to be built from; the same for every run. */
export interface GraphParts {
  /** The agent's models as one. */
  readonly model: ModelWithFallbacks
  /** Always the same array; its contents change as MCP servers come and go. */
  readonly tools: readonly StructuredToolInterface[]
  /** Used unless the request brings its own. */
  readonly systemPrompt: string
  readonly limits: Limits
}

/** A compiled graph that takes `messages`. Its answer is `structuredResponse` if there is one, else the last message. */
// biome-ignore lint/suspicious/noExplicitAny: its nodes, channels and context are the owner's
export type AgentGraph = CompiledStateGraph<any, any, any, any, any, any>

/** LangChain's agent, as its `createAgent` returns it. */
export interface LangChainAgent {
  readonly graph: AgentGraph
}

/** What a node receives in addition to the state. */
export type NodeConfig = LangGraphRunnableConfig<RunContext>

/** The state of any graph whose conversation is `messages`. */
export interface Conversation {
  readonly messages: BaseMessage[]
}
