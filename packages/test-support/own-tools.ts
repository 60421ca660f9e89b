import type { AgentDefinition } from '@agent-task-service/engine'
import { readConfig } from '@agent-task-service/engine/config'
import { agent } from './agent/test-agent.ts'

/** Names of the tools that an agent offers without any settings, in its order: those that need no key. */
export function toolsOf(definition: AgentDefinition): string[] {
  const { settings } = readConfig({}, definition)
  return Object.keys(definition.tools)
    .sort()
    .flatMap(name => {
      const tool = definition.tools[name]!
      const made = typeof tool === 'function' ? tool(settings) : tool
      return !made || 'secrets' in made ? [] : [made.name]
    })
}

/** Those of the tests' own agent. */
export const OWN_TOOLS: readonly string[] = toolsOf(agent)
