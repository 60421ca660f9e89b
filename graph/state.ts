import { MessagesAnnotation } from '@langchain/langgraph/web'
import { z } from 'zod'

/**
 * What the nodes hand on: the conversation, whose last message is the answer in the end. All else that is known of a
 * run is in its account: a thread holds many runs, and none may see the others'.
 */
export const agentState = MessagesAnnotation

export type AgentState = typeof agentState.State

/** Overrides for one run, as `config` of the interface names them. */
export const runSettings = z.object({
  system_prompt: z.string().optional().describe("Replaces the agent's own system prompt"),
  max_tokens: z.int().min(1).optional().describe('Cap on the tokens generated over the whole run'),
  enabled_tools: z
    .array(z.string())
    .optional()
    .describe('Names of the tools enabled; absent: all, empty: none'),
})

export type RunSettings = z.infer<typeof runSettings>
