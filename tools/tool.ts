import type { StructuredToolInterface } from '@langchain/core/tools'

/** A tool as the registry takes it: LangChain's, or one that needs keys. */
export type AgentTool = StructuredToolInterface | ToolWithSecrets

/** A tool that is made once its keys are known; where one is not set, it is not offered. */
export interface ToolWithSecrets {
  /** Names of the environment variables that hold the keys. */
  readonly secrets: readonly string[]
  create(values: Readonly<Record<string, string>>): StructuredToolInterface
}

/**
 * A tool that needs keys.
 *
 * @param create gets their values, which belong in no result, no error and no log; it only makes the tool
 * @example
 * export const orders = withSecrets(['SHOP_API_KEY'], ({ SHOP_API_KEY }) => tool(async () => { … }, { name: 'orders' }))
 */
export function withSecrets<const Secret extends string>(
  secrets: readonly Secret[],
  create: (values: Readonly<Record<Secret, string>>) => StructuredToolInterface,
): ToolWithSecrets {
  return { secrets, create }
}

/** A page that a result quotes, by the number it gives it: `sources` of a tool's artifact go into the run's events. */
export interface Source {
  readonly number: number
  readonly title: string
  /** http or https */
  readonly url: string
}

/** A failure that the model should read: `message` is handed to it word for word, so it must hold no secret. */
export class ToolError extends Error {
  override readonly name: string = 'ToolError'
}
