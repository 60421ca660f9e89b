import { inspect } from 'node:util'
import { OpenAICompatibleModel, type OpenAICompatibleSettings } from '@agent-task-service/openai-compatible'
import { says, streams } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { InMemoryCache } from '@langchain/core/caches'
import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { expect, test } from 'vitest'

async function endpoint() {
  const server = await openAIServer(({ body }) => (body.stream ? streams(['Hi.'], 'stop') : says('Hi.')))
  const { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: apiKey } = server.env
  const model = (settings: Partial<OpenAICompatibleSettings> = {}) =>
    new OpenAICompatibleModel({ model: 'one', apiKey, baseUrl, api: 'chat', ...settings })
  return { model, apiKey, requests: server.requests }
}

// EVIDENCE-OF packages/openai-compatible/README.md: `cache`, `callbacks`, `disableStreaming`, `metadata`, `outputVersion`,
//   `tags` and `verbose`.
test('a cache answers what the same model was asked before, and nobody else', async () => {
  const { model, requests } = await endpoint()
  const cache = new InMemoryCache()
  const others = [{ model: 'two' }, { temperature: 1 }, { maxTokens: 9 }, { params: { top_p: 0.5 } }]
  for (const settings of [{}, ...others, {}, ...others])
    expect((await model({ cache, ...settings }).invoke('Go.')).text).toBe('Hi.')
  expect(requests).toHaveLength(1 + others.length)
  const elsewhere = await endpoint()
  await elsewhere.model({ cache }).invoke('Go.')
  expect(elsewhere.requests).toHaveLength(1)
})

// EVIDENCE-OF packages/openai-compatible/README.md: `cache`, `callbacks`, `disableStreaming`, `metadata`, `outputVersion`,
//   `tags` and `verbose`.
test('callbacks, tags, metadata, verbose, disableStreaming and outputVersion are those of any chat model', async () => {
  const { model, requests } = await endpoint()
  const seen: unknown[] = []
  const callbacks = [
    BaseCallbackHandler.fromMethods({
      handleChatModelStart: (_model, _messages, _run, _parent, _extra, tags, metadata) =>
        void seen.push(tags, metadata),
    }),
  ]
  const settings = { callbacks, tags: ['a'], metadata: { of: 'b' }, disableStreaming: true }
  for await (const _ of await model(settings).stream('Go.')) expect(requests[0]?.body.stream).not.toBe(true)
  expect(seen).toEqual([['a'], expect.objectContaining({ of: 'b' })])
  expect(model({ verbose: true }).verbose).toBe(true)
  const { content } = await model({ outputVersion: 'v1' }).invoke('Go.')
  expect(content).toMatchObject([{ type: 'text', text: 'Hi.' }])
})

test('the key is in none of its properties', async () => {
  const { model, apiKey } = await endpoint()
  expect(inspect(model({ tags: ['a'] }), { depth: 9, showHidden: true })).not.toContain(apiKey)
})
