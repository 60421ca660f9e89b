import { testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { fails } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'

/** A graph whose node has a model of its own, created with these. */
const graphWith = (fields: object) =>
  new StateGraph(MessagesAnnotation)
    .addNode('own', async ({ messages }) => ({
      messages: [await new ChatOpenAI({ model: 'own', maxRetries: 0, ...fields }).invoke(messages)],
    }))
    .addEdge(START, 'own')
    .compile()

// EVIDENCE-OF docs/reference/errors.md [a node's own model that cannot be reached fails as those of the list do]: Every try failed: the
//   model provider could not be reached, was overloaded or sent nothing usable
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
    level: 'info',
  },
  { name: 'has no key', error: 'the model has no key', stop: 'model_rejected', level: 'info' },
])("a node's own model that $name fails as those of the list do", async ({ url, error, stop, level }) => {
  const fields = url ? { apiKey: 'a-key', configuration: { baseURL: await url() } } : {}
  const { run, lines } = await testService({ ...agent, graph: () => graphWith(fields) })
  expect(await run('Hello')).toMatchObject({ status: 'error', error })
  expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ stop, level })
  expect(lines.some(({ msg }) => msg === 'cannot serve')).toBe(level === 'info')
})
