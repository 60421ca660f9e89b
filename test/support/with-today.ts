import { systemPromptFor } from '../../graph/prompts.ts'

/** What a model is told where the operator's prompt is `systemPrompt` and the request brings none. */
export function withToday(systemPrompt: string): string {
  return systemPromptFor({ systemPrompt, tools: [] }, {})
}
