import { calculator } from './calculator.ts'
import { createTime } from './time.ts'
import type { Tool } from './tool.ts'
import { createWebSearch, type SearchSettings } from './web-search.ts'

/** What the tools need from the environment. */
export interface ToolSettings {
  readonly search: SearchSettings
}

/** Every tool of this agent. A new tool is a file beside this one, and a line here. */
export function createTools(settings: ToolSettings): readonly Tool[] {
  return [calculator, createTime(), createWebSearch(settings.search)]
}
