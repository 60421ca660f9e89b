/** What a graph, its nodes and its list of models are written with. */
export { type ContextConfig, contextSchemaFor, RunContext, readContext } from './context.ts'
export {
  type AgentDefinition,
  defineAgent,
  type Needed,
} from './definition.ts'
export { RunFailure } from './failures/run-failure.ts'
export type { AgentGraph, GraphParts } from './graph-parts.ts'
export { type LimitReason, limitReasons } from './limits.ts'
export type { ModelEntry, ModelSettings } from './model/model-entry.ts'
export { priceAt } from './run/price.ts'
export { runOf } from './run/run.ts'
export { enabledTools } from './tool-rules/guarded-tools.ts'
export { hintsOf } from './tool-rules/tool-hints.ts'
