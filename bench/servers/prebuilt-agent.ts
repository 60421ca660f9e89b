/** What you would write with LangGraph alone: its prebuilt agent with ChatOpenAI, no callbacks, no streaming. */
import { AIMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { calculate, definition, model, prompt, type ServedRun, serveRuns } from './serve.ts'

const { name, description } = definition.function
const schema = z.object({ expression: z.string() })
const tools = [tool(({ expression }) => calculate(expression), { name, description, schema })]
const llm = new ChatOpenAI({ model, maxRetries: 0 })
const agent = createReactAgent({ llm, tools, prompt })

async function run(input: string): Promise<ServedRun> {
  const messages = [{ role: 'user', content: input }]
  const end = await agent.invoke({ messages }, { recursionLimit: 110 })
  const usages = end.messages.filter(AIMessage.isInstance).map(message => message.usage_metadata)
  return {
    output: end.messages.at(-1)?.text ?? '',
    input_tokens: usages.reduce((sum, usage) => sum + (usage?.input_tokens ?? 0), 0),
    output_tokens: usages.reduce((sum, usage) => sum + (usage?.output_tokens ?? 0), 0),
    steps: end.messages.length - 1,
  }
}

serveRuns(run)
