/** What you would write with Vercel's AI SDK, streamed. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { stepCountIs, streamText, tool } from 'ai'
import { schemaOf } from './schema-of.ts'
import { model, prompt, type RunTask, serveRuns } from './serve.ts'
import { tools } from './tools.ts'

const { OPENAI_API_KEY, OPENAI_BASE_URL = '' } = process.env
const provider = createOpenAICompatible({
  name: 'bench',
  apiKey: OPENAI_API_KEY,
  baseURL: OPENAI_BASE_URL,
  includeUsage: true,
})
const offered = Object.fromEntries(
  tools.map(benchTool => {
    const { name, description, call } = benchTool
    const execute = async (args: object) => await call(args)
    return [name, tool({ description, inputSchema: schemaOf(benchTool), execute })]
  }),
)

const run: RunTask = async (input, onText) => {
  const result = streamText({
    model: provider(model),
    instructions: prompt,
    prompt: input,
    tools: offered,
    stopWhen: stepCountIs(50),
    maxRetries: 0,
  })
  for await (const text of result.textStream) await onText(text)
  const [output, steps, usage] = await Promise.all([result.text, result.steps, result.totalUsage])
  return {
    output,
    input_tokens: usage.inputTokens ?? 0,
    output_tokens: usage.outputTokens ?? 0,
    steps: steps.reduce((sum, { toolCalls }) => sum + 1 + toolCalls.length, 0),
  }
}

serveRuns(run)
