import * as registry from './registry.ts'
import type { AgentTool } from './tool.ts'
import { createWebSearch, type SearchSettings } from './web-search.ts'

/** Settings that tools need in addition to the secrets they declare. */
export interface ToolSettings {
  readonly search: SearchSettings
}

/** The tools of the registry, sorted by export name, since module member order varies between the sources and the bundle. */
export const registered: readonly AgentTool[] = Object.entries(registry)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([, tool]) => tool)

/** Every tool of this agent, including those whose secrets are not set. */
export function createTools(settings: ToolSettings): readonly AgentTool[] {
  return [...registered, createWebSearch(settings.search)]
}
