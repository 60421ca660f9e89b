/** The floor: node:http on both sides and a hand-written loop, without any library. */
import { Agent, createServer, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { calculate, definition, identity, model, prompt, reply, type TaskBody, tellPort } from './work.ts'

interface Completion {
  readonly choices: readonly [{ readonly message: Message }]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

interface Message {
  readonly role: string
  readonly content: string | null
  readonly tool_call_id?: string
  readonly tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[]
}

const agent = new Agent({ keepAlive: true })
const url = `${model.baseUrl}/chat/completions`
const headers = { 'content-type': 'application/json', authorization: `Bearer ${model.key}` }

function ask(messages: readonly Message[]): Promise<Completion> {
  const body = JSON.stringify({ model: model.name, messages, tools: [definition] })
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, response =>
      resolve(json(response) as Promise<Completion>),
    )
    sent.on('error', reject).end(body)
  })
}

async function run(task: TaskBody): Promise<object> {
  const startedAt = performance.now()
  const spent = { inputTokens: 0, outputTokens: 0, steps: 0 }
  const messages: Message[] = [
    { role: 'system', content: prompt },
    { role: 'user', content: task.input },
  ]
  for (;;) {
    const { choices, usage } = await ask(messages)
    const { message } = choices[0]
    spent.inputTokens += usage.prompt_tokens
    spent.outputTokens += usage.completion_tokens
    spent.steps += 1
    if (!message.tool_calls?.length) return reply(task, message.content ?? '', startedAt, spent)
    messages.push(message)
    for (const { id, function: called } of message.tool_calls) {
      spent.steps += 1
      const content = await calculate(JSON.parse(called.arguments).expression)
      messages.push({ role: 'tool', tool_call_id: id, content })
    }
  }
}

const server = createServer(async (message, response) => {
  const body = message.url === '/health' ? identity : await run((await json(message)) as TaskBody)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
server.listen({ port: 0, host: '127.0.0.1' }, () => tellPort(server))
