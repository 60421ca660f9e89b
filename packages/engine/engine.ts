/** What a graph, its nodes and its list of models are written with. */

export {
  type AgentDefinition,
  type AgentLog,
  defineAgent,
  type Needed,
  type Variables,
} from './agent/definition.ts'
export { RunFailure } from './failures/run-failure.ts'
export { type LimitReason, limitReasons, type StopReason } from './failures/stop-reason.ts'
export type { AgentGraph, GraphParts, LangChainAgent } from './graph/graph-parts.ts'
export type { EndpointSettings, ModelEntry, ModelSettings } from './model/model-entry.ts'
export {
  type ContextConfig,
  type ContextSchema,
  contextSchemaFor,
  RunContext,
  readContext,
} from './run/context.ts'
export type { Limits } from './run/limits.ts'
export { type BilledTokens, type Price, priceAt, type Rates } from './run/price.ts'
export { runOf } from './run/run.ts'
export { hintsOf, type ToolHints } from './run/tool-hints.ts'
export { enabledTools } from './tools/guarded-tools.ts'
