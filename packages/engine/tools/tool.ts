import type { StructuredToolInterface } from '@langchain/core/tools'
import type { ToolWithSecrets } from './tool-with-secrets.ts'

export { ToolError, UnknownOutcome } from '../failures/tool-error.ts'
export { idempotencyKey, RUN } from '../journal/idempotency-key.ts'
export type { Source } from '../run/plain-message.ts'
export { needsSecrets, type ToolWithSecrets, withSecrets } from './tool-with-secrets.ts'

/** A tool for the registry: a LangChain tool, one that needs secrets, or one made from the agent's own variables. */
export type AgentTool<Settings = never> =
  | StructuredToolInterface
  | ToolWithSecrets
  | ToolFromSettings<Settings>

/** Makes a tool from the values of the agent's own variables; `undefined`: it is not offered. */
export type ToolFromSettings<Settings = never> = (settings: Settings) => StructuredToolInterface | undefined
