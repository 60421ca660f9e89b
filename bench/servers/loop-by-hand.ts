/** What you would write with only the openai SDK. */
import OpenAI from 'openai'
import { calculate, definition, model, prompt, type ServedRun, serveRuns } from './serve.ts'

const client = new OpenAI({ maxRetries: 0 })
const tools = [definition]

async function run(input: string): Promise<ServedRun> {
  const spent = { input_tokens: 0, output_tokens: 0, steps: 0 }
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: prompt },
    { role: 'user', content: input },
  ]
  for (;;) {
    const { choices, usage } = await client.chat.completions.create({ model, messages, tools })
    const message = choices[0]!.message
    spent.input_tokens += usage?.prompt_tokens ?? 0
    spent.output_tokens += usage?.completion_tokens ?? 0
    spent.steps += 1
    if (!message.tool_calls?.length) return { output: message.content ?? '', ...spent }
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
