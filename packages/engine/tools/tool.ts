import type { StructuredToolInterface } from '@langchain/core/tools'

export { ToolError, UnknownOutcome } from '../failures/tool-error.ts'
export { idempotencyKey, RUN } from '../journal/idempotency-key.ts'
export type { Source } from '../run/plain-message.ts'

/** A tool for the registry: a LangChain tool, one that needs secrets, or one made from the agent's own variables. */
export type AgentTool<Settings = never> =
  | StructuredToolInterface
  | ToolWithSecrets
  | ToolFromSettings<Settings>

/** Makes a tool from the values of the agent's own variables; `undefined`: it is not offered. */
export type ToolFromSettings<Settings = never> = (settings: Settings) => StructuredToolInterface | undefined

/** A tool that is created once its secrets are known; not offered if one of them is not set. */
export interface ToolWithSecrets {
  /** Names of the environment variables that hold the secrets. */
  readonly secrets: readonly string[]
  create(values: Readonly<Record<string, string>>): StructuredToolInterface
}

/**
 * Declares a tool that needs secrets.
 *
 * @param create creates the tool from the secrets' values, which must not appear in any result, error or log
 *
 * @example
 * export const orders = withSecrets(['SHOP_API_KEY'], ({ SHOP_API_KEY }) => tool(async () => { … }, { name: 'orders' }))
 */
export function withSecrets<const Secret extends string>(
  secrets: readonly Secret[],
  create: (values: Readonly<Record<Secret, string>>) => StructuredToolInterface,
): ToolWithSecrets {
  return { secrets, create }
}

/** Whether the tool is one that needs secrets; not for anything that is no tool. */
export function needsSecrets(tool: unknown): tool is ToolWithSecrets {
  return Array.isArray((tool as Partial<ToolWithSecrets> | null | undefined)?.secrets)
}
