import type { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { mergeConfigs } from '@langchain/core/runnables'
import type { LangGraphRunnableConfig } from '@langchain/langgraph/web'
import { Budget, type Limits } from './budget.ts'
import type { StopReason } from './failure.ts'
import type { Meter } from './meter.ts'
import type { NamedModel } from './model.ts'
import type { RunSettings } from './state.ts'
import type { Toolset } from './toolset.ts'

/** What a graph is made of: the same for every run. */
export interface AgentParts {
  /** To be asked in order, the first for as long as it is available. */
  readonly models: readonly NamedModel[]
  /** Read afresh for each node: the tools of MCP servers come and go. */
  readonly tools: Toolset
  readonly systemPrompt: string
  readonly limits: Limits
}

/** The account of one run, under `configurable.__account` of its invocation: what begins so is kept out of checkpoints. */
export interface Account {
  readonly meter: Meter
  /**
   * Told of the model calls and tool calls: the meter, and who else needs no more than these. Handlers of the graph's
   * invocation are told of each node as well, which costs a third of a run's processor time.
   */
  readonly handlers: readonly BaseCallbackHandler[]
  /** Milliseconds since the request arrived, on the monotonic clock. */
  elapsedMs(): number
  /** What ends the calls of a node: the end of the run. Given is what ends the node for LangGraph's own reasons. */
  signalFor(node: AbortSignal | undefined): AbortSignal
  /** How many of the agent's models, from the first, proved unavailable in this run. */
  modelsGivenUp: number
  /** Why the last message is the last word, as far as is known. */
  stop: StopReason
}

export type NodeConfig = LangGraphRunnableConfig<RunSettings>

/** What a node works with: the agent's parts, overridden by the run's settings, and the run's budget. */
export interface Scope {
  readonly models: readonly NamedModel[]
  readonly tools: Toolset
  readonly systemPrompt: string
  readonly account: Account
  readonly budget: Budget
  readonly config: NodeConfig
}

export function scopeOf(parts: AgentParts, config: NodeConfig): Scope {
  const settings = config.context ?? {}
  const account = (config.configurable as { __account?: Account } | undefined)?.__account
  if (account === undefined)
    throw new Error(
      'expected an account in config.configurable.__account: invoke the graph through runAgent()',
    )
  return {
    models: parts.models,
    tools: parts.tools.only(settings.enabled_tools),
    systemPrompt: settings.system_prompt ?? parts.systemPrompt,
    account,
    budget: new Budget(limitsFor(parts, settings), account.meter, () => account.elapsedMs()),
    config: forCalls(config, account),
  }
}

/** The node's configuration as its calls get it: handlers of the graph's own stay. */
function forCalls(config: NodeConfig, account: Account): NodeConfig {
  const { callbacks } = config.callbacks
    ? mergeConfigs({ callbacks: config.callbacks }, { callbacks: [...account.handlers] })
    : { callbacks: [...account.handlers] }
  return { ...config, callbacks, signal: account.signalFor(config.signal) }
}

/** The agent's limits with the run's own cap on generated tokens. */
export function limitsFor({ limits }: AgentParts, { max_tokens }: RunSettings): Limits {
  return { ...limits, maxOutputTokens: max_tokens ?? limits.maxOutputTokens }
}
