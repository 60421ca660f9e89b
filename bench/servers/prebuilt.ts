/** What one writes with LangGraph and without this project: its prebuilt agent with ChatOpenAI, the same callback handler, behind Hono. */
import { serve } from '@hono/node-server'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { Hono } from 'hono'
import { Run } from '../../graph/run/run.ts'
import { identity, model, reply, systemPrompt, type TaskBody, tellPort, tools } from './work.ts'

const agent = createReactAgent({
  llm: new ChatOpenAI({
    model: model.name,
    apiKey: model.key,
    maxRetries: 0,
    configuration: { baseURL: model.baseUrl },
  }),
  tools,
  prompt: systemPrompt,
})

const limits = { timeoutMs: 110_000, answerByMs: 25_000, maxSteps: 50 }

async function answer(task: TaskBody): Promise<object> {
  const startedAt = performance.now()
  using run = new Run({ limits, arrivedAt: startedAt })
  const { messages } = await agent.invoke(
    { messages: [{ role: 'user', content: task.input }] },
    { callbacks: [run.recorder], signal: run.end.signal, recursionLimit: 110 },
  )
  return reply(task, messages.at(-1)?.text ?? '', startedAt, run.meter)
}

const app = new Hono()
app.get('/health', c => c.json(identity))
app.post('/run', async c => c.json(await answer(await c.req.json<TaskBody>())))
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => tellPort(server))
