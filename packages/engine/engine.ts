/** What a graph, its nodes and its list of models are written with. */
export {
  type ContextConfig,
  type ContextSchema,
  contextSchemaFor,
  RunContext,
  readContext,
} from './context.ts'
export {
  type AgentDefinition,
  type AgentLog,
  defineAgent,
  type Needed,
  type Variables,
} from './definition.ts'
export { RunFailure } from './failures/run-failure.ts'
export type { StopReason } from './failures/stop-reason.ts'
export type { AgentGraph, GraphParts, LangChainAgent } from './graph-parts.ts'
export { type LimitReason, type Limits, limitReasons } from './limits.ts'
export type { EndpointSettings, ModelEntry, ModelSettings } from './model/model-entry.ts'
export { type BilledTokens, type Price, priceAt, type Rates } from './run/price.ts'
export { runOf } from './run/run.ts'
export { enabledTools } from './tool-rules/guarded-tools.ts'
export { hintsOf, type ToolHints } from './tool-rules/tool-hints.ts'
