import { readConfig } from '../../src/config.ts'
import { createTools } from '../../tools/create-tools.ts'

/** Names of the tools on offer without any settings: those that need no key. */
export const OWN_TOOLS: readonly string[] = createTools(readConfig({})).flatMap(tool =>
  'name' in tool ? [tool.name] : [],
)
