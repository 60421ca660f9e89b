/**
 * What you would write with LangGraph alone: its prebuilt agent with ChatOpenAI behind Hono. Uses the same callback
 * handler as this service, and so the same streaming.
 */
import { serve } from '@hono/node-server'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { Hono } from 'hono'
import { Run } from '../../graph/run/run.ts'
import { identity, model, reply, type TaskBody, tellPort } from './work.ts'

const limits = { timeoutMs: 110_000, answerByMs: 25_000, maxSteps: 50 }

export function servePrebuilt(prompt: string, tools: StructuredToolInterface[]): void {
  const llm = new ChatOpenAI({
    model: model.name,
    apiKey: model.key,
    maxRetries: 0,
    configuration: { baseURL: model.baseUrl },
  })
  const agent = createReactAgent({ llm, tools, prompt })

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
}
