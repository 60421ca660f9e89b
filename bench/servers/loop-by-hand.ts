/** What you would write with only the openai SDK, streamed. */
import OpenAI from 'openai'
import { model, prompt, type RunTask, serveRuns } from './serve.ts'
import { tools } from './tools.ts'

const client = new OpenAI({ maxRetries: 0 })
const definitions = tools.map(({ name, description, properties }) => {
  const types = Object.entries(properties).map(([key, type]) => [key, { type }])
  const required = Object.keys(properties)
  const parameters = {
    type: 'object',
    properties: Object.fromEntries(types),
    required,
    additionalProperties: false,
  }
  return { type: 'function' as const, function: { name, description, parameters } }
})

type Call = OpenAI.ChatCompletionMessageFunctionToolCall

const run: RunTask = async (input, onText) => {
  const spent = { input_tokens: 0, output_tokens: 0, steps: 0 }
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: 'system', content: prompt },
    { role: 'user', content: input },
  ]
  for (;;) {
    const { text, calls, usage } = await ask(messages, onText)
    spent.input_tokens += usage?.prompt_tokens ?? 0
    spent.output_tokens += usage?.completion_tokens ?? 0
    spent.steps += 1 + calls.length
    if (calls.length === 0) return { output: text, ...spent }
    messages.push({ role: 'assistant', content: text, tool_calls: calls })
    for (const { id, function: called } of calls) {
      const content = await tools.find(({ name }) => name === called.name)!.call(JSON.parse(called.arguments))
      messages.push({ role: 'tool', tool_call_id: id, content })
    }
  }
}

async function ask(messages: OpenAI.ChatCompletionMessageParam[], onText: (text: string) => unknown) {
  const options = { model, messages, tools: definitions, stream_options: { include_usage: true } }
  let text = ''
  const calls: Call[] = []
  let usage: OpenAI.CompletionUsage | null | undefined
  for await (const chunk of await client.chat.completions.create({ ...options, stream: true })) {
    usage = chunk.usage ?? usage
    const { content, tool_calls: pieces = [] } = chunk.choices[0]?.delta ?? {}
    if (content) {
      text += content
      await onText(content)
    }
    for (const { index, id = '', function: { name = '', arguments: args = '' } = {} } of pieces) {
      calls[index] ??= { id, type: 'function', function: { name, arguments: '' } }
      calls[index].function.arguments += args
    }
  }
  return { text, calls, usage }
}

serveRuns(run)
