import type { AgentDefinition, GraphParts } from '@agent-task-service/engine'
import { toolCallNode } from '@agent-task-service/engine/nodes'
import { ScriptedModel, type ScriptedReply, testService } from '@agent-task-service/engine/testing'
import { idempotencyKey } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { tool as named } from '@agent-task-service/test-support/sample-tools'
import { type AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import { END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph'
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt'
import { createAgent, createMiddleware } from 'langchain'
import { expect } from 'vitest'
import { z } from 'zod'

export type Tool = StructuredToolInterface
type State = typeof MessagesAnnotation.State
type Way = (parts: GraphParts, tools: Tool[]) => ReturnType<AgentDefinition['graph']>

const callsIn = ({ messages }: State) => (messages.at(-1) as AIMessage).tool_calls ?? []
const next = (state: State) => (callsIn(state).length > 0 ? 'tools' : END)

/** A node that binds tools to the model, and `node` that calls them. */
export const loop = ({ model }: GraphParts, tools: Tool[]) =>
  new StateGraph(MessagesAnnotation)
    .addNode('ask', async ({ messages }) => ({ messages: [await model.bindTools(tools).invoke(messages)] }))
    .addEdge(START, 'ask')

const withNode = (parts: GraphParts, tools: Tool[], node: ToolNode | ((state: State) => Promise<object>)) =>
  loop(parts, tools)
    .addNode('tools', node as ToolNode)
    .addConditionalEdges('ask', next, ['tools', END])
    .addEdge('tools', 'ask')
    .compile()

/** Calls them itself, and tells the model what it got. @param passes whether it passes the call and its config on */
const byHand = (tools: Tool[], passes: boolean) => async (state: State, config?: object) => {
  const told = callsIn(state).map(async call => {
    const called = tools.find(({ name }) => name === call.name)
    const invoked = passes
      ? called?.invoke({ ...call, type: 'tool_call' }, config)
      : called?.invoke(call.args)
    const result = await invoked?.catch(({ message }: Error) => message)
    const content = result instanceof ToolMessage ? result.text : String(result)
    return new ToolMessage({ content, tool_call_id: call.id ?? '' })
  })
  return { messages: await Promise.all(told) }
}

/** Every way in which a graph calls tools that it has itself, in place of those in its parts. */
export const ways: Record<string, Way> = {
  toolCallNode: (parts, tools) =>
    loop(parts, tools)
      .addNode('tools', toolCallNode({ tools }))
      .addConditionalEdges('ask', next, ['tools', END])
      .addEdge('tools', 'ask')
      .compile(),
  ToolNode: (parts, tools) => withNode(parts, tools, new ToolNode(tools)),
  'a node': (parts, tools) => withNode(parts, tools, byHand(tools, true)),
  'a node that passes nothing on': (parts, tools) => withNode(parts, tools, byHand(tools, false)),
  createAgent: ({ model }, tools) => createAgent({ model, tools }),
  createReactAgent: ({ model: llm }, tools) => createReactAgent({ llm, tools }),
  middleware: ({ model }, tools) =>
    createAgent({ model, tools: [], middleware: [createMiddleware({ name: 'own', tools })] }),
  subgraph: (parts, tools) =>
    new StateGraph(MessagesAnnotation)
      .addNode('inner', withNode(parts, tools, new ToolNode(tools)))
      .addEdge(START, 'inner')
      .compile(),
  'an agent with settings of its own': ({ model }, tools) =>
    new StateGraph(MessagesAnnotation)
      .addNode('inner', async state => {
        const inner = createAgent({ model, tools, contextSchema: z.object({ own: z.string() }) })
        return (await inner.invoke(state, { context: { own: '' } })) as State
      })
      .addEdge(START, 'inner')
      .compile(),
  Send: (parts, tools) =>
    loop(parts, tools)
      .addNode('tools', new ToolNode(tools))
      .addConditionalEdges(
        'ask',
        state => callsIn(state).map(call => new Send('tools', { lg_tool_call: call })),
        ['tools', END],
      )
      .addEdge('tools', 'ask')
      .compile(),
}

interface Rule {
  /** Those that the graph has. */
  readonly tools: (called: string[]) => Tool[]
  /** What the model calls, one turn after the other. */
  readonly calls: readonly { readonly name: string; readonly args?: object }[]
  readonly config?: object
  /** What the model reads of the last call. */
  readonly reads: RegExp
  readonly runs: readonly string[]
}

export const pay = (called: string[]) =>
  named('pay', () => `paid ${called.push('pay')}`, { readOnlyHint: false })
export const web = (called: string[]) =>
  named('web', () => `page ${called.push('web')}`, { openWorldHint: true })
export const PAY = { name: 'pay' }

export const rules: Record<string, Rule> = {
  'a call that fits': { tools: called => [pay(called)], calls: [PAY], reads: /^paid 1$/, runs: ['pay'] },
  enabled_tools: {
    tools: called => [pay(called)],
    calls: [PAY],
    config: { enabled_tools: [] },
    reads: /not enabled|no tool "pay"/,
    runs: [],
  },
  'openWorldHint and readOnlyHint': {
    tools: called => [pay(called), web(called)],
    calls: [{ name: 'web' }, PAY],
    reads: /this run has read the web/,
    runs: ['web'],
  },
  timeLimitMs: {
    tools: () => [
      named(
        'slow',
        (_, { signal }) => new Promise(resolve => signal.addEventListener('abort', () => resolve(''))),
        { timeLimitMs: 10 },
      ),
    ],
    calls: [{ name: 'slow' }],
    reads: /the tool slow took longer than 0\.01 s/,
    runs: [],
  },
  result: {
    tools: () => [named('long', () => 'x'.repeat(30_000), { readOnlyHint: true })],
    calls: [{ name: 'long' }],
    reads: /^.{15000,20500}$/s,
    runs: [],
  },
  'any other error': {
    tools: () => [
      named(
        'broken',
        () => {
          throw new Error('at 10.0.0.7')
        },
        { readOnlyHint: true },
      ),
    ],
    calls: [{ name: 'broken' }],
    reads: /^(?!.*10\.0\.0\.7).*the tool broken failed\./s,
    runs: [],
  },
  schema: {
    tools: () => [
      tool(({ n }) => `got ${n + 1}`, {
        name: 'count',
        description: '',
        schema: z.object({ n: z.number() }),
        metadata: { readOnlyHint: true },
      }),
    ],
    calls: [{ name: 'count', args: { n: '4' } }],
    reads: /^got 5$/,
    runs: [],
  },
  'idempotencyKey(runtime)': {
    tools: () => [named('keyed', (_, runtime) => idempotencyKey(runtime), { readOnlyHint: false })],
    calls: [{ name: 'keyed' }],
    reads: /^[\w-]{20,45}$/,
    runs: [],
  },
}

/** Has a graph call its tools in this way. @param isRegistered whether the registry has them as well */
export async function expectRule(way: string, name: string, isRegistered: boolean): Promise<void> {
  const { tools: make, calls, config, reads, runs } = rules[name]!
  const called: string[] = []
  const tools = make(called)
  const model = new ScriptedModel([
    ...calls.map((call): ScriptedReply => ({ toolCalls: [call] })),
    ({ messages }) => (messages.at(-1) as BaseMessage).text,
  ])
  const graph = (parts: GraphParts) => ways[way]!(parts, tools)
  const { run } = await testService(
    { ...agent, graph },
    { models: [model.named()], tools: isRegistered ? tools : [] },
  )
  const reply = await run('Go on', config as Record<string, unknown>)
  expect(reply).toMatchObject({ status: 'success', output: expect.stringMatching(reads) })
  expect(called).toEqual(runs)
}
