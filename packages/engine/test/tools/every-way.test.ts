import type { AgentDefinition, GraphParts } from '@agent-task-service/engine'
import { toolCallNode } from '@agent-task-service/engine/nodes'
import { ScriptedModel, type ScriptedReply, testService } from '@agent-task-service/engine/testing'
import { idempotencyKey } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { tool as named } from '@agent-task-service/test-support/sample-tools'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import { Command, END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph'
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt'
import { createAgent, createMiddleware } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'

type Tool = StructuredToolInterface
type State = typeof MessagesAnnotation.State
type Way = (parts: GraphParts, tools: Tool[]) => ReturnType<AgentDefinition['graph']>

const callsIn = ({ messages }: State) => (messages.at(-1) as AIMessage).tool_calls ?? []
const next = (state: State) => (callsIn(state).length > 0 ? 'tools' : END)

/** A node that binds tools to the model, and `node` that calls them. */
const loop = ({ model }: GraphParts, tools: Tool[]) =>
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
const ways: Record<string, Way> = {
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

const pay = (called: string[]) => named('pay', () => `paid ${called.push('pay')}`, { readOnlyHint: false })
const web = (called: string[]) => named('web', () => `page ${called.push('web')}`, { openWorldHint: true })
const PAY = { name: 'pay' }

const rules: Record<string, Rule> = {
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

const cases = Object.keys(ways).flatMap(way =>
  Object.keys(rules).flatMap(rule => [true, false].map(isRegistered => [way, rule, isRegistered] as const)),
)

// EVIDENCE-OF docs/reference/tool-rules.md: These rules apply whoever calls the tool: the tool-call node, LangGraph's
//   `ToolNode`, a prebuilt agent, or your own node.
// EVIDENCE-OF docs/reference/tool-rules.md: A call of a tool that is not enabled for the run is refused, and the model reads
//   so
test.each(cases)('%s × %s, in the registry: %s', async (way, name, isRegistered) => {
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
})

/** A graph of one node, which calls these without a model. */
const calling = (tools: Tool[]) => () =>
  new StateGraph(MessagesAnnotation)
    .addNode('own', async ({ messages }) => {
      const told: string[] = []
      for (const one of tools) told.push(await one.invoke({}).catch(({ message }: Error) => message))
      return { messages: [...messages, new AIMessage(told.map(String).join(' | '))] }
    })
    .addEdge(START, 'own')
    .compile()

const WHY_NOT =
  'the tool pay has side effects, and its rules would not hold: add it to tools/registry.ts, or bind it to parts.model'

// EVIDENCE-OF docs/reference/tool-rules.md: A call with side effects does not run: it ends the run with an `error` that
//   names the tool and says what to do
// EVIDENCE-OF docs/reference/errors.md: | `unguarded_tool` |
test('a tool with side effects that no model was offered ends the run', async () => {
  const called: string[] = []
  const { run, lines } = await testService({ ...agent, graph: calling([pay(called)]) }, { tools: [] })
  expect(await run('Go on')).toMatchObject({ status: 'error', error: WHY_NOT })
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'run', stop: 'unguarded_tool' }))
  expect(called).toEqual([])
})

// EVIDENCE-OF docs/reference/tool-rules.md: `enabled_tools` holds, and what it has read counts as read by the run
test.each<[says: string, enabled: string[] | undefined]>([
  ['page 1 | the tool pay has side effects, and this run has read the web', undefined],
  ['the tool web is not enabled for this run | paid 1', ['pay']],
])('a tool without side effects that no model was offered: %s', async (says, enabled_tools) => {
  const called: string[] = []
  const registered = pay(called)
  const graph = calling([web([]), registered])
  const { run } = await testService({ ...agent, graph }, { tools: [registered] })
  const config = enabled_tools && { enabled_tools }
  expect(await run('Go on', config)).toMatchObject({
    status: 'success',
    output: expect.stringContaining(says),
  })
  expect(called).toHaveLength(enabled_tools ? 1 : 0)
})

const UNKNOWN = 'enabled_tools does not hold for a tool: add it to tools/registry.ts, or declare readOnlyHint'

// EVIDENCE-OF docs/reference/tool-rules.md: No rule holds, and the log says so once if a run's `enabled_tools` does not name it,
//   unless it returns a `Command`
test('a tool that declares nothing, and is in no registry: the log names it once; a handoff is none', async () => {
  const plain = named('plain', () => 'ran')
  const steers = named('steers', () => new Command({ update: {} }))
  const { run, lines } = await testService(
    { ...agent, graph: calling([plain, steers]) },
    { tools: [named('known', () => '')] },
  )
  const logged = () => lines.filter(({ msg }) => msg === UNKNOWN)
  await run('Go on')
  expect(logged()).toEqual([])
  for (const task_id of ['test-2', 'test-3'])
    expect(await run('Go on', { enabled_tools: ['known'] }, task_id)).toMatchObject({ status: 'success' })
  expect(logged()).toMatchObject([{ level: 'warn', task_id: 'test-2', tool: 'plain' }])
})

test('what an operator allows holds for one agent of the process alone', async () => {
  const called: string[] = []
  const tools = [web([]), pay(called)]
  const withEnv = async (env: Record<string, string>) =>
    await testService({ ...agent, graph: calling(tools) }, { tools, env })
  const strict = await withEnv({})
  const lenient = await withEnv({ TOOLS_AFTER_WEB: 'pay' })
  expect(await strict.run('Go on')).toMatchObject({ output: expect.stringContaining('has read the web') })
  expect(await lenient.run('Go on')).toMatchObject({ output: 'page 2 | paid 1' })
})

test('outside a run, a tool of the registry is as its owner wrote it', async () => {
  const broken = named('broken', () => {
    throw new Error('at 10.0.0.7')
  })
  await testService(agent, { tools: [broken] })
  await expect(broken.invoke({})).rejects.toThrow('at 10.0.0.7')
})

test('a tool that its parts have, offered again as it is: once', async () => {
  const called: string[] = []
  const one = pay(called)
  const model = new ScriptedModel([{ toolCalls: [PAY] }, 'Done.'])
  const graph = ({ model: llm, tools }: GraphParts) => createReactAgent({ llm, tools: [...tools, one] })
  const { run } = await testService({ ...agent, graph }, { models: [model.named()], tools: [one] })
  expect(await run('Go on')).toMatchObject({ status: 'success', output: 'Done.' })
  expect(model.requests.map(({ tools }) => tools)).toEqual([['pay'], ['pay']])
  expect(called).toEqual(['pay'])
})

const binding =
  (...tools: object[]) =>
  (parts: GraphParts) =>
    loop(parts, tools as Tool[]).compile()
const dated = tool(() => '', { name: 'dated', description: '', schema: z.object({ day: z.date() }) })

test.each<[what: string, tools: object[], env: Record<string, string>, error: string]>([
  [
    'no model would accept',
    [dated],
    {},
    'the tool "dated": expected a schema that JSON Schema can express: no dates, big integers, maps or functions',
  ],
  [
    'its provider would run',
    [{ type: 'web_search' }],
    { OPENAI_API_KEY: 'sk-key', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
    'parts.model passes on no tool that a provider runs, such as web_search: use a chat class of the provider for it',
  ],
])('a graph that offers a tool that %s: its error says so', async (_what, tools, env, error) => {
  const { run } = await testService({ ...agent, graph: binding(...tools) }, { env, tools: [] })
  expect(await run('Go on')).toMatchObject({ status: 'error', error })
})
