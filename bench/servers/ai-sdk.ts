/** What you would write with Vercel's AI SDK. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import { calculate, definition, model, prompt, type ServedRun, serveRuns } from './serve.ts'

const { OPENAI_API_KEY, OPENAI_BASE_URL = '' } = process.env
const provider = createOpenAICompatible({ name: 'bench', apiKey: OPENAI_API_KEY, baseURL: OPENAI_BASE_URL })
const { name, description } = definition.function
const inputSchema = z.object({ expression: z.string() })
const tools = {
  [name]: tool({ description, inputSchema, execute: async ({ expression }) => await calculate(expression) }),
}

async function run(input: string): Promise<ServedRun> {
  const { text, steps, usage } = await generateText({
    model: provider(model),
    instructions: prompt,
    prompt: input,
    tools,
    stopWhen: stepCountIs(50),
    maxRetries: 0,
  })
  return {
    output: text,
    input_tokens: usage.inputTokens ?? 0,
    output_tokens: usage.outputTokens ?? 0,
    steps: steps.reduce((sum, { toolCalls }) => sum + 1 + toolCalls.length, 0),
  }
}

serveRuns(run)
