import type { AIMessageChunk } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { ModelReplyError } from '../../../graph/model/model-error.ts'
import { OpenAIModel } from '../../../graph/model/openai-model.ts'
import { json, says, streams } from '../../support/openai-replies.ts'
import { inTurn, openAIServer, type Reply } from '../../support/openai-server.ts'

async function streamOf(reply: Reply) {
  const server = await openAIServer(inTurn(reply))
  const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl, MODEL: model } = server.env
  const chat = new OpenAIModel({ model, apiKey, baseUrl, maxTokens: 9 })
  const pieces: string[] = []
  const read = async () => {
    for await (const { text } of await chat.stream('Hello')) if (text) pieces.push(text)
  }
  return { server, pieces, read }
}

test('a stream delivers the answer piece by piece, under the same cap', async () => {
  const { server, pieces, read } = await streamOf(streams(['Hel', 'lo', '.'], 'stop'))
  await read()
  expect(pieces).toEqual(['Hel', 'lo', '.'])
  expect(server.requests[0]!.body).toMatchObject({ stream: true, max_tokens: 9 })
})

test('gives the finish reason once, even if the provider sends it twice', async () => {
  const twice: Reply = response => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const delta of [{ content: 'Hello' }, {}, {}]) {
      const choice = { index: 0, delta, finish_reason: 'content' in delta ? null : 'length' }
      response.write(`data: ${JSON.stringify({ id: 'chunk', choices: [choice] })}\n\n`)
    }
    response.end('data: [DONE]\n\n')
  }
  const { env } = await openAIServer(inTurn(twice))
  const chat = new OpenAIModel({ model: env.MODEL, apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL })
  let whole: AIMessageChunk | undefined
  for await (const chunk of await chat.stream('Hello')) whole = whole?.concat(chunk) ?? chunk
  expect(whole?.response_metadata.finish_reason).toBe('length')
})

const breaksOff: Reply = response => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunk = { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }] }
  response.write(`data: ${JSON.stringify(chunk)}\n\n`, () => response.socket?.resetAndDestroy())
}

test.each([
  { title: 'that ends before the answer does', reply: streams(['Hel', 'lo']) },
  { title: 'with nothing in it', reply: streams([]) },
  { title: 'that ends in an error', reply: streams(['Hel'], 'error') },
  { title: 'that is a web page', reply: json('<!doctype html>', 200, { 'content-type': 'text/html' }) },
])('a stream $title is an error, not a short answer', async ({ reply }) => {
  const { read } = await streamOf(reply)
  await expect(read()).rejects.toThrow(ModelReplyError)
})

test('a stream whose connection breaks is an error', async () => {
  const { read } = await streamOf(breaksOff)
  await expect(read()).rejects.toThrow()
})

test('reads an unstreamed answer from a server that was asked for a stream', async () => {
  const { read, pieces } = await streamOf(says('Hello.'))
  await read()
  expect(pieces).toEqual(['Hello.'])
})
