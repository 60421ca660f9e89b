import type { GraphParts } from '@agent-task-service/engine'
import { RunContext, RunFailure, readContext } from '@agent-task-service/engine'
import { ScriptedModel, type ScriptedReply, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, SystemMessage } from '@langchain/core/messages'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { type GraphNode, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ChatOllama } from '@langchain/ollama'
import { ChatOpenAI } from '@langchain/openai'
import { expect, test } from 'vitest'

type Node = GraphNode<typeof MessagesAnnotation, RunContext>

/** A service whose graph is this node. */
async function serviceOf(node: (parts: GraphParts) => Node, script: ScriptedReply[] = []) {
  const graph = (parts: GraphParts) =>
    new StateGraph(MessagesAnnotation).addNode('own', node(parts)).addEdge(START, 'own').compile()
  return await testService({ ...agent, graph }, { models: [new ScriptedModel(script).named()] })
}

/** Classes that list tools each in its provider's form; none is answered. */
const NOBODY = 'http://127.0.0.1:9'
const silent = { apiKey: 'any', model: 'm', maxRetries: 0 }
const CLASSES: [name: string, model: { bindTools: NonNullable<BaseChatModel['bindTools']> }][] = [
  ['ChatAnthropic', new ChatAnthropic({ ...silent, anthropicApiUrl: NOBODY })],
  ['ChatGoogleGenerativeAI', new ChatGoogleGenerativeAI({ ...silent, baseUrl: NOBODY })],
  ['ChatOllama', new ChatOllama({ model: 'm', baseUrl: NOBODY })],
  ['ChatOpenAI', new ChatOpenAI({ ...silent, configuration: { baseURL: NOBODY } })],
]

const UNREAD = 'system_prompt of a run reached no model'
const LEFT_OUT = 'a model was offered tools that enabled_tools leaves out'

// EVIDENCE-OF docs/guides/agent-loops.md: The log says so once if a run's `system_prompt` reached no model, or a model was
//   offered a tool that the run leaves out.
test('a graph that ignores system_prompt: the log says so, once', async () => {
  const { run, lines } = await serviceOf(
    ({ model }) =>
      async ({ messages }) => ({
        messages: [messages[0]?.text === 'Hi' ? new AIMessage('Hi.') : await model.invoke(messages)],
      }),
    ['One.', new RunFailure('model_rejected', 'No.'), 'Two.', 'Three.'],
  )
  const unread = () => lines.filter(({ msg }) => msg === UNREAD)
  await run('Hello')
  // No model is asked.
  await run('Hi', { system_prompt: 'Be a poet.' })
  // It ends before the graph has asked all that it asks.
  expect(await run('Hello', { system_prompt: 'Be a poet.' })).toMatchObject({ status: 'error' })
  expect(unread()).toEqual([])
  for (const task_id of ['test-2', 'test-3']) await run('Hello', { system_prompt: 'Be a poet.' }, task_id)
  expect(unread()).toMatchObject([{ level: 'warn', task_id: 'test-2' }])
  expect(JSON.stringify(lines)).not.toContain('poet')
})

test('a graph that reads system_prompt in some of its runs is no matter for the log', async () => {
  const { run, lines } = await serviceOf(
    ({ model }) =>
      async ({ messages }, config) => {
        const { system_prompt = '' } = messages[0]?.text === 'Hi' ? {} : readContext(config, RunContext)
        return {
          messages: [await model.invoke([new SystemMessage(`Answer. ${system_prompt}`), ...messages])],
        }
      },
    ['One.', 'Two.'],
  )
  for (const input of ['Hello', 'Hi']) await run(input, { system_prompt: 'Be a poet.' })
  expect(lines.filter(({ msg }) => msg === UNREAD)).toEqual([])
})

// EVIDENCE-OF docs/guides/agent-loops.md: The log says so once if a run's `system_prompt` reached no model, or a model was
//   offered a tool that the run leaves out.
test.each(CLASSES)(
  '%s, offered tools that the run leaves out: the log says so, once',
  async (name, model) => {
    const { run, lines } = await serviceOf(({ tools }) => async ({ messages }) => {
      await model
        .bindTools([...tools])
        .invoke(messages)
        .catch(() => undefined)
      return { messages: [new AIMessage('Hi.')] }
    })
    const leftOut = () => lines.filter(({ msg }) => msg === LEFT_OUT)
    await run('Hello')
    await run('Hello', { enabled_tools: ['calculator', 'code', 'time', 'web_search'] })
    expect(leftOut()).toEqual([])
    for (const task_id of ['test-2', 'test-3']) await run('Hello', { enabled_tools: ['time'] }, task_id)
    expect(leftOut()).toMatchObject([
      { level: 'warn', task_id: 'test-2', class: name, tools: ['calculator', 'code', 'web_search'] },
    ])
  },
)
