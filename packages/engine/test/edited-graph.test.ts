import type { GraphParts } from '@agent-task-service/engine'
import { ScriptedModel, testService as serviceOf } from '@agent-task-service/engine/testing'
import { respond, TestState } from '@agent-task-service/test-support/agent/graph'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { testService } from '@agent-task-service/test-support/service'
import { AIMessage, RemoveMessage } from '@langchain/core/messages'
import { FakeLLM } from '@langchain/core/utils/testing'
import { MessagesAnnotation, REMOVE_ALL_MESSAGES, START, StateGraph } from '@langchain/langgraph'
import { expect, test } from 'vitest'

test.each<[what: string, messages: RemoveMessage[], read: string[]]>([
  ['a task alone', [], ['Hi']],
  ['nothing', [new RemoveMessage({ id: REMOVE_ALL_MESSAGES })], []],
])(
  'respond asks for an answer if a router led to it with %s, and blames no limit',
  async (_, messages, read) => {
    const model = new ScriptedModel(['Hello.'])
    const graph = (parts: GraphParts) =>
      new StateGraph(TestState)
        .addNode('router', () => ({ messages }))
        .addNode('respond', respond(parts))
        .addEdge(START, 'router')
        .addEdge('router', 'respond')
        .compile()
    const env = { SYSTEM_PROMPT: 'Be brief.' }
    const { run, lines } = await serviceOf({ ...agent, graph }, { env, models: [model.named()] })
    expect(await run('Hi')).toMatchObject({ status: 'success', output: 'Hello.' })
    expect(model.requests[0]?.messages.map(({ text }) => text)).toEqual(['Be brief.', ...read])
    expect(lines).toMatchObject([{ stop: 'answer' }])
  },
)

test('a text-completion model counts like any other', async () => {
  const graph = () =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', async (_state, config) => ({
        messages: [new AIMessage(await new FakeLLM({ response: 'old style' }).invoke('Hi', config))],
      }))
      .addEdge(START, 'own')
      .compile()
  const { post, lines } = await serviceOf({ ...agent, graph })
  const reply = await post({ task_id: 'test-1', input: 'Hi' }, { accept: 'text/event-stream' })
  const events = (await reply.text()).matchAll(/^event: (model_.*|text)$/gm)
  expect([...events].map(([, type]) => type)).toEqual(['model_started', 'text', 'model_finished'])
  expect(lines).toMatchObject([
    { steps: 1, output_tokens: expect.toSatisfy((count: number) => count > 0), stop: 'answer' },
  ])
})

test('a bug in a chat class is not a network fault: one try, and the log names it', async () => {
  const model = new ScriptedModel([new TypeError("Cannot read properties of undefined (reading 'text')")])
  const { run, lines } = await testService({}, { models: [model.named()] })
  expect(await run('Hello')).toMatchObject({ status: 'error', error: 'the model call failed' })
  expect(model.requests).toHaveLength(1)
  expect(lines.at(-1)).toMatchObject({ level: 'error', stop: 'internal', err: { name: 'TypeError' } })
})
