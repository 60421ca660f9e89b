import type { StructuredToolInterface } from '@langchain/core/tools'

export { idempotencyKey } from './effects/idempotency-key.ts'
export { ToolError, UnknownOutcome } from './failures/tool-error.ts'

/** A tool for the registry: a LangChain tool, one that needs secrets, or one made from the agent's own variables. */
export type AgentTool = StructuredToolInterface | ToolWithSecrets | ToolFromSettings

/** Makes a tool from the values of the agent's own variables; `undefined`: it is not offered. */
// biome-ignore lint/suspicious/noExplicitAny: each names the variables that it reads
export type ToolFromSettings = (settings: any) => StructuredToolInterface | undefined

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
export function needsSecrets(tool: AgentTool): tool is ToolWithSecrets {
  return Array.isArray((tool as Partial<ToolWithSecrets> | null | undefined)?.secrets)
}

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
