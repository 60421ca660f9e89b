import type { LangGraphRunnableConfig } from '@langchain/langgraph'
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
  /** Milliseconds since the request arrived, on the monotonic clock. */
  elapsedMs(): number
  /** How many of the agent's models, from the first, proved unavailable in this run. */
  modelsGivenUp: number
  /** Why the last message is the last word, as far as is known. */
  stop: StopReason
  /** Ends the run, beside the signal of its invocation. */
  readonly signal?: AbortSignal
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
    config: endedBy(config, account.signal),
  }
}

function endedBy(config: NodeConfig, signal: AbortSignal | undefined): NodeConfig {
  if (signal === undefined) return config
  return { ...config, signal: AbortSignal.any([config.signal ?? signal, signal]) }
}

/** The agent's limits with the run's own cap on generated tokens. */
export function limitsFor({ limits }: AgentParts, { max_tokens }: RunSettings): Limits {
  return { ...limits, maxOutputTokens: max_tokens ?? limits.maxOutputTokens }
}
