/** What you would write with only the openai SDK: a hand-written loop behind Hono. */
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import OpenAI from 'openai'
import { calculate, definition, identity, model, prompt, reply, type TaskBody, tellPort } from './work.ts'

const client = new OpenAI({ apiKey: model.key, baseURL: model.baseUrl, maxRetries: 0 })
const tools = [definition]

async function run(task: TaskBody): Promise<object> {
  const startedAt = performance.now()
  const spent = { inputTokens: 0, outputTokens: 0, steps: 0 }
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: prompt },
    { role: 'user', content: task.input },
  ]
  for (;;) {
    const { choices, usage } = await client.chat.completions.create({ model: model.name, messages, tools })
    const message = choices[0]!.message
    spent.inputTokens += usage?.prompt_tokens ?? 0
    spent.outputTokens += usage?.completion_tokens ?? 0
    spent.steps += 1
    if (!message.tool_calls?.length) return reply(task, message.content ?? '', startedAt, spent)
    messages.push(message)
    for (const call of message.tool_calls) {
      if (call.type !== 'function') continue
      spent.steps += 1
      const content = await calculate(JSON.parse(call.function.arguments).expression)
      messages.push({ role: 'tool', tool_call_id: call.id, content })
    }
  }
}

const app = new Hono()
app.get('/health', c => c.json(identity))
app.post('/run', async c => c.json(await run(await c.req.json<TaskBody>())))
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, () => tellPort(server))
