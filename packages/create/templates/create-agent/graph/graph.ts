import type { GraphParts, RunContext } from '@agent-task-service/engine'
import { createAgent, dynamicSystemPromptMiddleware } from 'langchain'
import { answerNearLimits } from './answer-near-limits.ts'

/** The system prompt used when neither the operator nor the request gives one. */
export const SYSTEM_PROMPT =
  "Answer the task briefly, in the task's language. Use the tools, never guess or calculate yourself."

/** LangChain's agent. Its middleware runs in this order around each call of the model. */
export function createGraph({ model, tools, systemPrompt }: GraphParts) {
  return createAgent({
    name: 'agent',
    model,
    tools: [...tools],
    middleware: [
      // In place of createAgent's systemPrompt, to which that of a request would be added.
      dynamicSystemPromptMiddleware<RunContext>(
        (_state, { context }) => context?.system_prompt ?? systemPrompt,
      ),
      answerNearLimits,
    ],
  })
}
