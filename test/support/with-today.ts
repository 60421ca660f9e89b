import { systemPromptFor } from '../agent/prompts.ts'
import type { AgentContext } from '../agent/state.ts'

/** The system prompt a model receives if the operator's is `systemPrompt` and the request has none. */
export function withToday(systemPrompt: string): string {
  return systemPromptFor({ systemPrompt, tools: [] }, {} as AgentContext)
}
