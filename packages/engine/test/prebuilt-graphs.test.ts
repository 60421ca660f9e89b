import { type AgentDefinition, type GraphParts, RunFailure } from '@agent-task-service/engine'
import { toolCallNode } from '@agent-task-service/engine/nodes'
import { inStudio } from '@agent-task-service/engine/studio'
import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { askPrompt, systemPromptFor } from '@agent-task-service/test-support/agent/graph'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import {
  Command,
  getCurrentTaskInput,
  interrupt,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { getConfigTypeSchema } from '@langchain/langgraph/zod/schema'
import { createAgent, createMiddleware, dynamicSystemPromptMiddleware } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'

const named = (name: string) => tool(() => '', { name, description: name, schema: z.object({}) })

/** As those of `@langchain/langgraph-supervisor` and `-swarm` make it. */
const handOff = (to: string) =>
  tool(
    (_, { toolCall }) => {
      const { messages } = getCurrentTaskInput() as { messages: BaseMessage[] }
      const told = new ToolMessage({ content: 'Handed over.', name: `to_${to}`, tool_call_id: toolCall.id })
      return new Command({ goto: to, graph: Command.PARENT, update: { messages: [...messages, told] } })
    },
    { name: `to_${to}`, description: `Hands the task to ${to}.`, schema: z.object({}) },
  )

const promptOf =
  (parts: GraphParts) =>
  ({ messages }: { messages: BaseMessage[] }, config: object) =>
    askPrompt(parts, messages, config)

/** A graph of two agents, of which the first one gets the task. */
const twoAgents = (parts: GraphParts, isBack: boolean) => {
  const { model: llm, tools } = parts
  const first = createReactAgent({
    name: 'first',
    llm,
    tools: [...tools, handOff('second')],
    prompt: promptOf(parts),
  })
  const second = createReactAgent({ name: 'second', llm, tools: [...tools], prompt: 'You are the second.' })
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('first', first, { ends: ['second'] })
    .addNode('second', second)
    .addEdge(START, 'first')
  return (isBack ? graph.addEdge('second', 'first') : graph).compile()
}

/** What an owner writes, by its shape. */
const shapes: Record<string, AgentDefinition['graph']> = {
  createAgent: parts =>
    createAgent({
      model: parts.model,
      tools: [...parts.tools],
      middleware: [
        dynamicSystemPromptMiddleware((_state, runtime) => systemPromptFor(parts, runtime as object)),
      ],
    }),
  createReactAgent: parts =>
    createReactAgent({ llm: parts.model, tools: [...parts.tools], prompt: promptOf(parts) }),
  supervisor: parts => twoAgents(parts, true),
  swarm: parts => twoAgents(parts, false),
  'a node that passes no config on': parts =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', async (state, config) => {
        const bound = parts.model.bindTools([...parts.tools])
        return { messages: [await bound.invoke(promptOf(parts)(state, config))] }
      })
      .addEdge(START, 'own')
      .compile(),
}

/** A service of this shape whose first agent hands over, if it can. */
async function serviceOf(graph: AgentDefinition['graph']) {
  const model = new ScriptedModel(({ messages, tools }) => {
    const isNew = messages.every(({ type }) => type !== 'tool')
    return isNew && tools.includes('to_second') ? { toolCalls: [{ name: 'to_second' }] } : 'Done.'
  })
  const tools = [named('one'), named('two')]
  const service = await testService({ ...agent, graph }, { models: [model.named()], tools })
  return { ...service, requests: model.requests }
}

/** LangChain's agent with middleware around each call of its model, which wraps what is thrown within. */
const withMiddleware = ({ model }: GraphParts, before: () => void) =>
  createAgent({
    model,
    middleware: [
      createMiddleware({
        name: 'own',
        wrapModelCall: async (request, handler) => {
          before()
          return await handler(request)
        },
      }),
    ],
  })

const refuse = () => {
  throw new RunFailure('refused', 'I take no passwords.')
}

// EVIDENCE-OF docs/guides/agent-loops.md: Errors keep their reason, though middleware wraps what it passes on: a middleware
//   that throws a `RunFailure` ends the run with its message.
test.each<[what: string, stop: string, error: string, before: () => void]>([
  ['a failed model', 'internal', 'the model call failed', () => {}],
  ['a refusal by middleware', 'refused', 'I take no passwords.', refuse],
  [
    'an interrupt',
    'not_over_http',
    'the node "model_request" called interrupt(), which',
    () => interrupt('?'),
  ],
])("LangChain's agent tells why it ended: %s", async (_what, stop, error, before) => {
  const model = new ScriptedModel([new Error('down')])
  const graph = (parts: GraphParts) => withMiddleware(parts, before)
  const { run, lines } = await testService({ ...agent, graph }, { models: [model.named()] })
  expect(await run('Hello')).toMatchObject({ status: 'error', error: expect.stringContaining(error) })
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'run', stop }))
})

test("a tool that is LangChain's agent ends the run as that agent does", async () => {
  const model = new ScriptedModel([{ toolCalls: [{ name: 'ask' }] }])
  const graph = (parts: GraphParts) => {
    const inner = withMiddleware(parts, refuse)
    const ask = tool(async (_, config) => await inner.invoke({ messages: [] }, config), {
      name: 'ask',
      description: '',
      schema: z.object({}),
    })
    return new StateGraph(MessagesAnnotation)
      .addNode('plan', async ({ messages }, config) => {
        return { messages: [await parts.model.bindTools([ask]).invoke(messages, config)] }
      })
      .addNode('tools', toolCallNode({ tools: [ask] }))
      .addEdge(START, 'plan')
      .addEdge('plan', 'tools')
      .compile()
  }
  const { run, lines } = await testService({ ...agent, graph }, { models: [model.named()] })
  expect(await run('Hello')).toMatchObject({ status: 'error', error: 'I take no passwords.' })
  expect(lines.filter(({ msg }) => msg === 'tool failed')).toEqual([])
})

const isHandOver = (name: string) => name.startsWith('to_')

// EVIDENCE-OF docs/guides/agent-loops.md: `system_prompt` reaches the model by the middleware alone.
// EVIDENCE-OF docs/guides/agent-loops.md: `parts.model` is offered no tool of `parts.tools` that the run leaves out.
// EVIDENCE-OF docs/guides/agent-loops.md: `enabled_tools` holds for all of them; the tools that hand the task over are not in
//   `parts.tools`, so they stay.
test.each(Object.entries(shapes))('%s: the settings of a run reach the model', async (_shape, graph) => {
  const { run, requests, lines } = await serviceOf(graph)
  const config = { system_prompt: 'Be a poet.', enabled_tools: ['two'] }
  expect(await run('Hello', config)).toMatchObject({ status: 'success', output: 'Done.' })
  const [first, second] = requests
  expect(first?.messages[0]?.text).toBe('Be a poet.')
  for (const { tools } of requests) expect(tools.filter(name => !isHandOver(name))).toEqual(['two'])
  if (first?.tools.some(isHandOver)) expect(second?.messages[0]?.text).toBe('You are the second.')
  expect(lines.filter(({ level }) => level === 'warn')).toEqual([])
})

test.each(Object.entries(shapes))(
  '%s: without settings it is as its owner made it',
  async (_shape, graph) => {
    const { run, requests } = await serviceOf(graph)
    await run('Hello')
    expect(requests[0]?.messages[0]?.text).toContain(agent.systemPrompt)
    for (const { tools } of requests) expect(tools.filter(name => !isHandOver(name))).toEqual(['one', 'two'])
  },
)

test.each(['one', { type: 'function', function: { name: 'one' } }])(
  'a call of a tool that the run leaves out cannot be forced: %j',
  async tool_choice => {
    const { env, requests } = await openAIServer(() => says('Done.'))
    const graph: AgentDefinition['graph'] = ({ model, tools }) =>
      new StateGraph(MessagesAnnotation)
        .addNode('own', async ({ messages }) => {
          return { messages: [await model.bindTools([...tools], { tool_choice }).invoke(messages)] }
        })
        .addEdge(START, 'own')
        .compile()
    const { run } = await testService({ ...agent, graph }, { env, tools: [named('one'), named('two')] })
    await run('Hello')
    await run('Hello', { enabled_tools: ['two'] })
    expect(requests.map(({ body }) => [body.tools?.length, body.tool_choice !== undefined])).toEqual([
      [2, true],
      [1, false],
    ])
  },
)

test.each(Object.entries(shapes))("%s: the settings of a run are in Studio's form", async (_shape, graph) => {
  const models = async () => [new ScriptedModel(['Done.']).named()]
  const studio = await inStudio({ ...agent, graph, models }, { LOG_LEVEL: 'silent' })
  const form = getConfigTypeSchema(studio()) as { properties?: Record<string, object> } | undefined
  expect(form?.properties).toMatchObject({
    system_prompt: { default: agent.systemPrompt, langgraph_type: 'prompt' },
    max_tokens: { type: 'integer' },
    enabled_tools: { items: { enum: ['calculator', 'code', 'time', 'web_search'] } },
  })
  expect(form?.properties?.system_prompt).not.toHaveProperty('langgraph_nodes')
})
