/** What a package is written with that supplies an agent with more tools than its own: `moreTools` of `defineAgent`. */
import type { StructuredToolInterface } from '@langchain/core/tools'
import type { z } from 'zod'
import type { Log } from '../log/log.ts'
import type { Extra } from './extra.ts'

export { causesOf } from '../failures/run-failure.ts'
export type { Log } from '../log/log.ts'
export { SERVER } from '../run/tool-hints.ts'
export type { Problem, RawVariables, Reading } from './extra.ts'

/** Supplies tools that may come and go while the agent runs. */
export interface MoreTools<Own extends z.ZodObject = z.ZodObject, Settings = z.output<Own>>
  extends Extra<Own, Settings> {
  /**
   * Says so if it starts programs, such as "MCP servers are programs". Their needs are unknown, so Node's permission model is then
   * off.
   */
  startsPrograms?(settings: Settings): string | undefined
  /**
   * Starts to supply tools.
   *
   * @returns a function that ends it
   */
  start(settings: Settings, host: ToolsHost): Promise<() => Promise<void>>
}

export interface ToolsHost {
  readonly log: Log
  /** Names that other tools have now. */
  taken(): readonly string[]
  /** Receives all tools that it supplies, at start and after each change. */
  onChange(tools: readonly StructuredToolInterface[]): void
}
