import { z } from 'zod'
import type { AgentParts } from './parts.ts'
import { AgentContext } from './state.ts'

/** The schema of a run's context for Studio's form, with the prompt in use and the available tools filled in. */
export function contextSchemaFor({ systemPrompt, tools }: AgentParts): typeof AgentContext {
  const { system_prompt, enabled_tools } = AgentContext.shape
  const prompt = { default: systemPrompt, langgraph_nodes: ['plan', 'respond'], langgraph_type: 'prompt' }
  const known = z.string().refine(name => tools.some(tool => tool.name === name), {
    error: () => `expected one of ${tools.map(({ name }) => name).join(', ')}`,
  })
  return AgentContext.extend({
    system_prompt: system_prompt.meta(prompt),
    enabled_tools: z
      .array(known.meta({ enum: tools.map(({ name }) => name) }))
      .optional()
      .describe(enabled_tools.description ?? ''),
  })
}
