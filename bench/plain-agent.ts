/** What one writes without this project: the same machine as a plain LangGraph StateGraph with ChatOpenAI behind a plain Hono handler. Prints its port. */
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { type AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { Hono } from 'hono'
import { Meter } from '../graph/meter.ts'
import { DEFAULT_SYSTEM_PROMPT } from '../graph/prompts.ts'
import { Toolset } from '../graph/toolset.ts'
import { calculator } from '../tools/calculator.ts'

type State = typeof MessagesAnnotation.State

const tools = Toolset.of([calculator])
const model = new ChatOpenAI({
  model: 'bench',
  apiKey: 'none',
  maxRetries: 0,
  configuration: { baseURL: process.env.OPENAI_BASE_URL },
}).bindTools([...tools.definitions])

async function plan({ messages }: State) {
  return { messages: [await model.invoke([new SystemMessage(DEFAULT_SYSTEM_PROMPT), ...messages])] }
}

async function callTools({ messages }: State) {
  const { tool_calls = [] } = messages.at(-1) as AIMessage
  const results = tool_calls.map(async ({ id = '', name, args }) => {
    const content =
      (await tools.get(name)?.run(args, { secrets: {}, signal: new AbortController().signal })) ??
      'no such tool'
    return new ToolMessage({ content, tool_call_id: id })
  })
  return { messages: await Promise.all(results) }
}

const graph = new StateGraph(MessagesAnnotation)
  .addNode('plan', plan)
  .addNode('tool-call', callTools)
  .addEdge(START, 'plan')
  .addConditionalEdges('plan', ({ messages }) =>
    (messages.at(-1) as AIMessage).tool_calls?.length ? 'tool-call' : END,
  )
  .addEdge('tool-call', 'plan')
  .compile()

const app = new Hono()
app.get('/health', c => c.json({ status: 'ok', agent_id: 'agent-1', agent_name: 'plain' }))
app.post('/run', async c => {
  const { task_id, input } = await c.req.json<{ task_id: string; input: string }>()
  const started = performance.now()
  const meter = new Meter()
  const { messages } = await graph.invoke({ messages: [new HumanMessage(input)] }, { callbacks: [meter] })
  const { inputTokens: input_tokens, outputTokens: output_tokens, steps } = meter
  const duration_sec = Math.round(performance.now() - started) / 1000
  const metrics = { duration_sec, input_tokens, output_tokens, steps }
  return c.json({ task_id, status: 'success', output: messages.at(-1)?.text, metrics })
})
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => {
  process.stdout.write(`{"port":${(server.address() as AddressInfo).port}}\n`)
})
