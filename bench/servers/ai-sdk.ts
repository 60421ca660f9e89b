/** What you would write with Vercel's AI SDK behind Hono. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import { serveRuns } from './hono.ts'
import { calculate, definition, model, prompt, reply, type TaskBody } from './work.ts'

const provider = createOpenAICompatible({ name: 'bench', apiKey: model.key, baseURL: model.baseUrl })
const { name, description } = definition.function
const inputSchema = z.object({ expression: z.string() })
const tools = {
  [name]: tool({ description, inputSchema, execute: async ({ expression }) => await calculate(expression) }),
}

async function run(task: TaskBody): Promise<object> {
  const startedAt = performance.now()
  const { text, steps, usage } = await generateText({
    model: provider(model.name),
    instructions: prompt,
    prompt: task.input,
    tools,
    stopWhen: stepCountIs(50),
    maxRetries: 0,
  })
  const spent = {
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    steps: steps.reduce((sum, { toolCalls }) => sum + 1 + toolCalls.length, 0),
  }
  return reply(task, text, startedAt, spent)
}

serveRuns(run)
