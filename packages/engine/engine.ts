/** What a graph, its nodes and its list of models are written with. */
export { type ContextConfig, contextSchemaFor, RunContext, readContext } from './context.ts'
export {
  type AgentDefinition,
  type AgentGraph,
  defineAgent,
  type GraphParts,
  type Needed,
} from './definition.ts'
export { RunFailure } from './failures/run-failure.ts'
export { type LimitReason, limitReasons } from './failures/stop-reason.ts'
export { errorResult, withAnsweredCalls } from './model/answered-calls.ts'
export type { ModelEntry, ModelSettings } from './model/model-entry.ts'
export { SoftDeadlinePassed } from './model/model-with-fallbacks.ts'
export { describeCap, describeLimit, type Limits } from './run/budget.ts'
export { isCut, isWithheld } from './run/plain-message.ts'
export { priceAt } from './run/price.ts'
export { runOf } from './run/run.ts'
export { enabledTools } from './tools/guarded-tools.ts'
export { isGoingRound } from './tools/repeated-calls.ts'
export { type ArgumentsSchema, callForm } from './tools/tool-arguments.ts'
export { hintsOf } from './tools/tool-hints.ts'
export { truncate } from './truncate.ts'
