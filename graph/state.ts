import { Annotation, MessagesAnnotation } from '@langchain/langgraph'
import { z } from 'zod'
import type { StopReason } from './failure.ts'

/** What the nodes hand on: the conversation, and at its end the answer. */
export const AgentState = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** Text for the caller, set by the respond node. */
  answer: Annotation<string>(),
  /** Why the answer is the last word, set by the respond node. */
  stop: Annotation<StopReason>(),
})

export type AgentState = typeof AgentState.State
export type AgentUpdate = typeof AgentState.Update

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
