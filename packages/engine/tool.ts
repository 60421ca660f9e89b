import type { StructuredToolInterface } from '@langchain/core/tools'
import type { ToolWithSecrets } from './tool-with-secrets.ts'

export { idempotencyKey } from './effects/idempotency-key.ts'
export { ToolError, UnknownOutcome } from './failures/tool-error.ts'
export { needsSecrets, type ToolWithSecrets, withSecrets } from './tool-with-secrets.ts'

/** A tool for the registry: a LangChain tool, one that needs secrets, or one made from the agent's own variables. */
export type AgentTool = StructuredToolInterface | ToolWithSecrets | ToolFromSettings

/** Makes a tool from the values of the agent's own variables; `undefined`: it is not offered. */
// biome-ignore lint/suspicious/noExplicitAny: each names the variables that it reads
export type ToolFromSettings = (settings: any) => StructuredToolInterface | undefined

/** A page that a result cites, with its number. Put them in `sources` of the tool's artifact to have them in the run's events. */
export interface Source {
  readonly number: number
  readonly title: string
  /** http or https */
  readonly url: string
}

/**
 * The key of a call's `configurable` for an object that stands for the run, the same one in all its calls. A tool may keep
 * what belongs to a run by it, in a `WeakMap`.
 */
export const RUN = '__run'
