import type { BaseMessage } from '@langchain/core/messages'
import { MessagesZodMeta } from '@langchain/langgraph'
import { registry } from '@langchain/langgraph/zod'
import { z } from 'zod'

/**
 * What the nodes hand on: the conversation, whose last message is the answer in the end. All else that is known of a
 * run is in its account: a thread holds many runs, and none may see the others'.
 */
export const agentState = z.object({
  // Whatever LangChain takes for messages: its reducer checks them. A custom type would have no JSON Schema.
  messages: (z.any() as z.ZodType<BaseMessage[], BaseMessage[]>).register(registry, MessagesZodMeta),
})

export type AgentState = z.output<typeof agentState>

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
