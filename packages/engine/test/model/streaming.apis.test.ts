import { OpenAIModel } from '@agent-task-service/engine/openai-model'
import { inTurn, openAIServer, type Reply } from '@agent-task-service/test-support/openai-server'
import type { AIMessageChunk } from '@langchain/core/messages'
import { expect, test } from 'vitest'

/** The chunks of a streamed reply, put together. */
async function wholeOf(reply: Reply): Promise<AIMessageChunk | undefined> {
  const { env } = await openAIServer(inTurn(reply))
  const chat = new OpenAIModel({ model: env.MODEL, apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL })
  let whole: AIMessageChunk | undefined
  for await (const chunk of await chat.stream('Hello')) whole = whole?.concat(chunk) ?? chunk
  return whole
}

test('gives the finish reason once, even if the provider sends it twice', async () => {
  const twice: Reply = response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const delta of [{ content: 'Hello' }, {}, {}]) {
      const choice = { index: 0, delta, finish_reason: 'content' in delta ? null : 'length' }
      response.write(`data: ${JSON.stringify({ id: 'chunk', choices: [choice] })}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  }
  expect((await wholeOf(twice))?.response_metadata.finish_reason).toBe('length')
})

test.each([
  ['in the name of its field', 'err', 'or: {"code":500,"message":"Compute error."}\n\n'],
  ['before its value', 'error:', ' {"code":500,"message":"Compute error."}\r\n\r\n'],
  ['in its value', 'error: {"code":500,', '"message":"Compute error."}\n\n'],
  ['in its value, without a line break at its end', 'error: {"code":500,', '"message":"Compute error."}'],
])('reports the error of a line that comes in two pieces, cut %s', async (_, first, second) => {
  const cut: Reply = response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n${first}`, () =>
      setTimeout(() => response.end(second), 20),
    )
  }
  await expect(wholeOf(cut)).rejects.toThrow('Compute error.')
})
