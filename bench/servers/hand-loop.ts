/** What you would write with only the openai SDK: a hand-written loop behind Hono. */
import OpenAI from 'openai'
import { serveRuns } from './hono.ts'
import { calculate, definition, model, prompt, reply, type TaskBody } from './work.ts'

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

serveRuns(run)
