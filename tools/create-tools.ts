import * as registry from './registry.ts'
import type { AgentTool } from './tool.ts'
import { createWebSearch, type SearchSettings } from './web-search.ts'

/** What tools need from the environment besides the secrets they declare. */
export interface ToolSettings {
  readonly search: SearchSettings
}

/** The tools of the registry, in the order of their names there: that of a module's members is not the same everywhere. */
export const registered: readonly AgentTool[] = Object.entries(registry)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([, tool]) => tool)

/** Every tool of this agent, whether or not it has its secrets. */
export function createTools(settings: ToolSettings): readonly AgentTool[] {
  return [...registered, createWebSearch(settings.search)]
}
