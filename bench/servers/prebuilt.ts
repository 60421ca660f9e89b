/** What you would write with LangGraph alone: its prebuilt agent with ChatOpenAI behind Hono, no callbacks, no streaming. */
import { AIMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { serveRuns } from './hono.ts'
import { calculate, definition, model, prompt, reply, type TaskBody } from './work.ts'

const { name, description } = definition.function
const schema = z.object({ expression: z.string() })
const tools = [tool(({ expression }) => calculate(expression), { name, description, schema })]
const llm = new ChatOpenAI({
  model: model.name,
  apiKey: model.key,
  maxRetries: 0,
  configuration: { baseURL: model.baseUrl },
})
const agent = createReactAgent({ llm, tools, prompt })

async function run(task: TaskBody): Promise<object> {
  const startedAt = performance.now()
  const input = { messages: [{ role: 'user', content: task.input }] }
  const { messages } = await agent.invoke(input, { recursionLimit: 110 })
  const spent = { inputTokens: 0, outputTokens: 0, steps: messages.length - 1 }
  for (const message of messages) {
    if (!AIMessage.isInstance(message)) continue
    spent.inputTokens += message.usage_metadata?.input_tokens ?? 0
    spent.outputTokens += message.usage_metadata?.output_tokens ?? 0
  }
  return reply(task, messages.at(-1)?.text ?? '', startedAt, spent)
}

serveRuns(run)
