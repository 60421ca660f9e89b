/** An OpenAI-compatible model on a free port of 127.0.0.1: asks for one sum, then answers. Prints its port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const latencyMs = Number(process.argv[2] ?? 0)
const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

function completion(message: object, finish_reason: string): string {
  const choices = [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }]
  return JSON.stringify({
    id: `chatcmpl-${Math.random()}`,
    object: 'chat.completion',
    model: 'bench',
    choices,
    usage,
  })
}

const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'calculator', arguments: '{"expression":"17*23"}' },
}
const asks = completion({ tool_calls: [call] }, 'tool_calls')
const answers = completion({ content: '17 × 23 = 391' }, 'stop')

const server = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const reply = body.includes('"role":"tool"') ? answers : asks
  setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(reply), latencyMs)
})
server.keepAliveTimeout = 60_000
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`),
)
