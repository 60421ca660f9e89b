import { fails } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { testService } from '@agent-task-service/test-support/service'
import type { MessagesAnnotation as State } from '@langchain/langgraph'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test, vi } from 'vitest'

/** What the node's own model is created with. */
let fields: { apiKey?: string; configuration?: { baseURL: string } } = {}

vi.mock(import('@agent-task-service/test-support/agent/graph'), () => ({
  createGraph: () =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', async ({ messages }: typeof State.State) => ({
        messages: [await new ChatOpenAI({ model: 'own', maxRetries: 0, ...fields }).invoke(messages)],
      }))
      .addEdge(START, 'own')
      .compile() as never,
}))

test.each([
  {
    name: 'cannot be reached',
    url: async () => 'http://127.0.0.1:9/v1',
    error: 'the model provider cannot be reached or broke off its reply',
    stop: 'model_unavailable',
    level: 'warn',
  },
  {
    name: 'refuses the key',
    url: async () => (await openAIServer(() => fails(401, 'invalid_api_key'))).env.OPENAI_BASE_URL!,
    error: 'the model provider answered HTTP 401 (invalid_api_key)',
    stop: 'model_rejected',
    level: 'warn',
  },
  { name: 'has no key', error: 'the model has no key', stop: 'model_rejected', level: 'warn' },
])("a node's own model that $name fails as those of the list do", async ({ url, error, stop, level }) => {
  fields = url ? { apiKey: 'a-key', configuration: { baseURL: await url() } } : {}
  const { run, lines } = await testService()
  expect(await run('Hello')).toMatchObject({ status: 'error', error })
  expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ stop, level })
})
