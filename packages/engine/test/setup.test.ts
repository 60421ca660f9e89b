import type { GraphParts } from '@agent-task-service/engine'
import { readConfig } from '@agent-task-service/engine/config'
import { createService } from '@agent-task-service/engine/service'
import { inStudio } from '@agent-task-service/engine/studio'
import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { withSecrets } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { WikipediaQueryRun } from '@langchain/community/tools/wikipedia_query_run'
import { type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { entrypoint, MessagesAnnotation, START, StateGraph, StateSchema } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'

const chat = new ChatOpenAI({ apiKey: 'sk-never-shown' })
const own = z.object({ system_prompt: z.string().optional(), tone: z.string(), days: z.int().optional() })
const graphOf = (schemas: object) =>
  new StateGraph(schemas as { state: typeof MessagesAnnotation })
    .addNode('own', () => ({}))
    .addEdge(START, 'own')
    .compile()
const builder = new StateGraph(MessagesAnnotation).addNode('own', () => ({})).addEdge(START, 'own')

/** What an agent cannot be made of, by the member that holds it. */
const wrong: [what: string, members: object, message: string][] = [
  [
    'a model',
    { models: async () => chat },
    'createModels() to return a list of { name, create }, got ChatOpenAI',
  ],
  [
    'no list',
    { models: async () => {} },
    'createModels() to return a list of { name, create }, got undefined',
  ],
  [
    'a list with a model',
    { models: async () => [chat] },
    'createModels() to return a list of { name, create }, got ChatOpenAI in it',
  ],
  ['a graph that is compiled already', { graph: {} }, 'graph to be a function that returns a graph, got '],
  [
    'a list with a promise',
    { models: async () => [Promise.resolve()] },
    'createModels() to return a list of { name, create }, got Promise in it',
  ],
  [
    'a model under another name',
    { models: async () => [{ name: 'own', model: chat }] },
    'createModels() to return a list of { name, create }, got { name, model } in it',
  ],
  [
    'a function for a list',
    { models: async () => () => chat },
    'createModels() to return a list of { name, create }, got a function',
  ],
  [
    'a promise of a model',
    { models: async () => [{ name: 'own', create: async () => chat }] },
    'the model "own": expected create() to return a chat model, got Promise',
  ],
  [
    'a create() without return',
    { models: async () => [{ name: 'own', create() {} }] },
    'the model "own": expected create() to return a chat model, got undefined',
  ],
  [
    'a builder',
    { graph: () => builder },
    'createGraph() to return a compiled graph, got StateGraph; add .compile()',
  ],
  [
    'a promise',
    { graph: async () => builder.compile() },
    'createGraph() to return a compiled graph, got Promise',
  ],
  ['no graph', { graph() {} }, 'createGraph() to return a compiled graph, got undefined'],
  [
    'a state without messages',
    { graph: () => graphOf({ state: new StateSchema({ question: z.string(), answer: z.string() }) }) },
    'messages in the input of the graph, got question, answer: the task comes in as its only message, and the last one is the answer. Add messages: MessagesValue to the state',
  ],
  [
    'an input without messages',
    { graph: () => graphOf({ state: MessagesAnnotation, input: z.object({ question: z.string() }) }) },
    'messages in the input of the graph, got question:',
  ],
  [
    'an output without messages',
    { graph: () => graphOf({ state: MessagesAnnotation, output: z.object({ answer: z.string() }) }) },
    'messages in the output of the graph, got answer:',
  ],
  [
    'a context schema of its own',
    { graph: () => graphOf({ state: MessagesAnnotation, context: own }) },
    'context schema has tone, days, which no request can set: declare it in the context of src/agent.ts too',
  ],
  [
    "a context schema of its own, of LangChain's agent",
    { graph: () => createAgent({ model: chat, contextSchema: own }) },
    'context schema has tone, days, which',
  ],
  [
    'a text for a tool',
    { tools: { own: 'sk-never-shown' } },
    'the tool "own" of the registry: expected a LangChain tool, got a string',
  ],
  [
    'no tool',
    { tools: { own: undefined } },
    'the tool "own" of the registry: expected a LangChain tool, got undefined',
  ],
  [
    'a list of tools',
    { tools: { own: [] } },
    'the tool "own" of the registry: expected a LangChain tool, got a list',
  ],
  [
    'a promise of a tool',
    { tools: { own: Promise.resolve() } },
    'the tool "own" of the registry: expected a LangChain tool, got Promise',
  ],
  [
    'a definition of a tool',
    { tools: { own: { name: 'own', schema: {} } } },
    'the tool "own" of the registry: expected a LangChain tool, got { name, schema }',
  ],
  [
    'the class of a tool',
    { tools: { own: WikipediaQueryRun } },
    'the tool "own" of the registry: expected a LangChain tool, got its class',
  ],
  [
    'a function of no tool',
    { tools: { own: () => null } },
    'the tool "own" of the registry: expected a LangChain tool, got null',
  ],
  [
    'a function of a promise',
    { tools: { own: async () => undefined } },
    'the tool "own" of the registry: expected a LangChain tool, got Promise',
  ],
  [
    'secrets without a tool',
    { tools: { own: withSecrets([], () => 'sk-never-shown' as never) } },
    'the tool "own" of the registry: expected a LangChain tool, got a string',
  ],
]

// EVIDENCE-OF docs/guides/graph.md: `messages` must be in it: without, the agent does not start, and says so.
// EVIDENCE-OF docs/reference/graph-rules.md: It stops the start if it has others.
test.each(wrong)('%s: refused at start, with what was expected', async (_what, members, message) => {
  const definition = { ...agent, ...members }
  const start = async () => createService(definition, readConfig({}, definition))
  const refusal: unknown = await start().catch(error => error)
  expect(refusal).toMatchObject({ name: 'SetupError', message: expect.stringContaining(message) })
  expect(String(refusal)).not.toContain('sk-never-shown')
})

test("LangChain's agent is served as it is, over HTTP and in Studio", async () => {
  const models = [new ScriptedModel(() => 'Hello.').named()]
  const graph = ({ model, tools }: GraphParts) => createAgent({ model, tools: [...tools] })
  const { run } = await testService({ ...agent, graph }, { models })
  expect(await run('Hi')).toMatchObject({ status: 'success', output: 'Hello.' })
  const studio = await inStudio({ ...agent, graph, models: async () => models }, { LOG_LEVEL: 'silent' })
  const { messages } = await studio().invoke({ messages: 'Hi' })
  expect(messages.at(-1).text).toBe('Hello.')
})

test("LangGraph's entrypoint() is served too", async () => {
  const models = [new ScriptedModel(() => 'Hello.').named()]
  const graph = ({ model }: GraphParts) =>
    entrypoint('own', async ({ messages }: { messages: BaseMessage[] }) => ({
      messages: [...messages, await model.invoke(messages)],
    })) as never
  const { run } = await testService({ ...agent, graph }, { models })
  expect(await run('Hi')).toMatchObject({ status: 'success', output: 'Hello.' })
  const studio = await inStudio({ ...agent, graph, models: async () => models }, { LOG_LEVEL: 'silent' })
  const { messages } = await studio().invoke({ messages: [new HumanMessage('Hi')] })
  expect(messages.at(-1).text).toBe('Hello.')
  const other = await testService({ ...agent, graph: () => entrypoint('own', async () => 'Hi') as never })
  expect(await other.run('Hi')).toMatchObject({ error: 'the graph ended without an answer' })
})
