/** What one writes with LangGraph and without this project: its prebuilt agent with ChatOpenAI, the same meter, behind Hono. */
import { serve } from '@hono/node-server'
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { Hono } from 'hono'
import { Meter } from '../../graph/meter.ts'
import { callTool, identity, model, reply, systemPrompt, type TaskBody, tellPort, toolset } from './work.ts'

const agent = createReactAgent({
  llm: new ChatOpenAI({
    model: model.name,
    apiKey: model.key,
    maxRetries: 0,
    configuration: { baseURL: model.baseUrl },
  }),
  tools: toolset.definitions.map(({ function: { name, description, parameters } }) =>
    tool(async args => await callTool(name, args as object), { name, description, schema: parameters }),
  ),
  prompt: systemPrompt,
})

async function run(task: TaskBody): Promise<object> {
  const startedAt = performance.now()
  const meter = new Meter()
  const { messages } = await agent.invoke(
    { messages: [{ role: 'user', content: task.input }] },
    { callbacks: [meter], recursionLimit: 110 },
  )
  return reply(task, messages.at(-1)?.text ?? '', startedAt, meter)
}

const app = new Hono()
app.get('/health', c => c.json(identity))
app.post('/run', async c => c.json(await run(await c.req.json<TaskBody>())))
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => tellPort(server))
