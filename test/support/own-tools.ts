import { readConfig } from '../../src/config.ts'
import { createTools } from '../../tools/create-tools.ts'

/** Names of the tools that the agent offers where nothing is set: those that need no key. */
export const OWN_TOOLS: readonly string[] = createTools(readConfig({})).flatMap(tool =>
  'name' in tool ? [tool.name] : [],
)
