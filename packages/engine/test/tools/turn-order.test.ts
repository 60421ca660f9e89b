import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { ToolError, UnknownOutcome } from '@agent-task-service/engine/tool'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { some } from '@agent-task-service/test-support/at-length'
import { fakeTime } from '@agent-task-service/test-support/fake-time'
import { warmUp } from '@agent-task-service/test-support/service'
import { until } from '@agent-task-service/test-support/until'
import { AIMessage } from '@langchain/core/messages'
import type { RunnableConfig } from '@langchain/core/runnables'
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { beforeAll, expect, test } from 'vitest'
import { TurnOrder } from '../../run/turn-order.ts'
import {
  type Act,
  callsOf,
  type Graph,
  makeWithin,
  next,
  Stage,
  type StagedTool,
  WITHIN,
  ways,
} from './stage.ts'

const [CRM, SHOP] = [{ name: 'crm' }, { name: 'shop' }]
const TOOLS: readonly StagedTool[] = [
  { name: 'write', readOnlyHint: false },
  { name: 'write_too', readOnlyHint: false },
  { name: 'read', readOnlyHint: true },
  { name: 'plain' },
  { name: 'crm__write', readOnlyHint: false, server: CRM },
  { name: 'crm__read', readOnlyHint: true, server: CRM },
  { name: 'shop__write', readOnlyHint: false, server: SHOP },
]

const act = (tool: string, id: string, more: object = {}): Act => ({ tool, args: { id, ...more } })

/** A task whose model makes these calls in one turn, then answers with what they brought. */
async function perform(
  stage: Stage,
  acts: readonly Act[],
  {
    graph = agent.graph,
    env = {},
    config,
  }: { graph?: Graph; env?: Record<string, string>; config?: object } = {},
) {
  const model = new ScriptedModel([
    { toolCalls: callsOf(acts) },
    ({ messages }) =>
      messages
        .filter(({ type }) => type === 'tool')
        .map(({ text }) => text)
        .join(' | '),
  ])
  const service = await testService({ ...agent, graph }, { env, models: [model.named()], tools: stage.tools })
  const caller = new AbortController()
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ task_id: 'test-1', input: 'Go on', config })
  const reply = (async () => {
    const response = await service.app.request('/run', {
      method: 'POST',
      headers,
      body,
      signal: caller.signal,
    })
    return (await response.json()) as { status: string; output: string; error?: string }
  })()
  return { ...service, model, caller, reply }
}

beforeAll(warmUp)

// EVIDENCE-OF docs/guides/tools.md: Of the agent's own tools, and of those of one MCP server, a call of a tool with
//   `readOnlyHint: false` waits until the calls made before it have ended, and those after it wait for it.
// EVIDENCE-OF docs/guides/tools.md: All others run side by side: tools with `readOnlyHint: true` among themselves, different
//   servers, and the agent's own tools that do not say.
test.each(Object.keys(ways))(
  '%s: of one group, what may change something has its turn; all else runs side by side',
  async way => {
    const stage = new Stage(TOOLS)
    const acts = [
      act('read', 'r1'),
      act('read', 'r2'),
      act('write', 'w1'),
      act('write_too', 'w2'),
      act('read', 'r3'),
      act('plain', 'p'),
      act('read', 'r4'),
      act('crm__write', 'c1'),
      act('crm__read', 'c2'),
      act('shop__write', 's1'),
      act('write', 'w3'),
    ]
    const { reply } = await perform(stage, acts, { graph: ways[way]! })
    expect(await stage.running()).toEqual(['r1', 'r2', 'p', 'c1', 's1'])
    stage.end('r2')
    stage.end('c1')
    expect(await stage.running()).toEqual(['r1', 'p', 's1', 'c2'])
    stage.end('r1')
    expect(await stage.running()).toEqual(['p', 's1', 'c2', 'w1'])
    for (const id of ['w2', 'c2', 's1', 'w1']) stage.end(id)
    expect(await stage.running()).toEqual(['p', 'r3', 'r4'])
    for (const id of ['p', 'r4', 'w3']) stage.end(id)
    expect(await stage.running()).toEqual(['r3'])
    stage.end('r3')
    expect(await reply).toMatchObject({
      status: 'success',
      output: 'r1 | r2 | w1 | w2 | r3 | p | r4 | c1 | c2 | s1 | w3',
    })
  },
)

test('a call that nothing is before is made at once, as it would be without an order', () => {
  const order = new TurnOrder()
  const made = new Promise(() => {})
  const reader = { group: 'one', hasEffects: false }
  for (const tool of [reader, reader, { group: undefined, hasEffects: false }])
    expect(order.make(tool, undefined, undefined, () => made)).toBe(made)
})

// EVIDENCE-OF docs/guides/tools.md: A call that fails or takes too long lets the next one begin, and one that is refused waits for none.
test.each([
  ['a known failure', new ToolError('no')],
  ['a bug', new Error('no')],
  ['an unknown outcome', new UnknownOutcome('no')],
])('%s does not keep the calls behind it from running', async (_what, failure) => {
  const stage = new Stage(TOOLS, async ({ fails }) => {
    if (fails) throw failure
  })
  const { reply } = await perform(stage, [act('write', 'w1', { fails: true }), act('write', 'w2')])
  expect(await stage.running()).toEqual(['w2'])
  stage.end('w2')
  expect(await reply).toMatchObject({ status: 'success', output: expect.stringMatching(/^Error: .* \| w2$/) })
})

// EVIDENCE-OF docs/guides/tools.md: The time limit, the event `tool_started` and `tools_sec` count from when a call begins.
test('time limit, tool_started and tools_sec count from when a call begins', async () => {
  const stage = new Stage([{ name: 'slow', readOnlyHint: false, timeLimitMs: 5_000 }])
  const time = fakeTime()
  const { reply, lines } = await perform(stage, [act('slow', 'a'), act('slow', 'b'), act('slow', 'c')])
  await time.until(until(() => stage.trace.length === 1))
  await time.pass(4_000)
  stage.end('a')
  expect(await stage.running()).toEqual(['b'])
  await time.pass(4_900)
  expect(await stage.running()).toEqual(['b'])
  await time.pass(200)
  // Its limit has ended it, and `c` has begun.
  expect(await stage.running()).toEqual(['c'])
  stage.end('c')
  expect(await time.until(reply)).toMatchObject({
    status: 'success',
    output: expect.stringMatching(/^a \| Error: the tool slow took longer than 5 s.* \| c$/),
  })
  expect(stage.trace).toEqual(['+a', '-a', '+b', '-b', '+c', '-c'])
  expect(Math.floor(Number(lines.find(({ msg }) => msg === 'run')?.tools_sec))).toBe(9)
})

// EVIDENCE-OF docs/guides/tools.md: If the run ends, what waits does not begin.
test('the run ends while a call waits: it never begins, and the reply does not wait', async () => {
  const stage = new Stage(TOOLS)
  const { reply, caller, lines } = await perform(stage, [act('write', 'w1'), act('write', 'w2')])
  expect(await stage.running()).toEqual(['w1'])
  caller.abort()
  // Of the other one it is known that it did not happen.
  expect(await reply).toMatchObject({
    error: expect.stringMatching(/^the caller hung up; .* whether write \(\S+ [^,]+, [^,]+ happened/),
  })
  stage.end('w1')
  expect(await stage.running()).toEqual([])
  expect(stage.trace).toEqual(['+w1', '-w1'])
  expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ stop: 'hang_up', steps: 2 })
})

test('a run that has answered begins no call that waits', async () => {
  const stage = new Stage(TOOLS)
  const graph: Graph = ({ tools }) =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', async (_state, config) => {
        for (const id of ['w1', 'w2']) void tools[0]!.invoke({ id }, config)
        return { messages: [new AIMessage('Done.')] }
      })
      .addEdge(START, 'own')
      .compile()
  const { reply } = await perform(stage, [], { graph })
  expect(await reply).toMatchObject({ status: 'success', output: 'Done.' })
  stage.end('w1')
  expect(await stage.running()).toEqual([])
  expect(stage.trace).toEqual(['+w1', '-w1'])
})

// EVIDENCE-OF docs/reference/tool-rules.md: Eight of one tool in a run; further ones wait.
test('eight of one tool begin, the ninth keeps its place before what is behind it', async () => {
  const stage = new Stage(TOOLS)
  const reads = Array.from({ length: 10 }, (_, index) => `r${index}`)
  const { reply } = await perform(stage, [...reads.map(id => act('read', id)), act('write', 'w')])
  expect(await stage.running()).toEqual(reads.slice(0, 8))
  stage.end('r5')
  expect(await stage.running()).toHaveLength(8)
  for (const id of reads.slice(0, 9)) stage.end(id)
  expect(await stage.running()).toEqual(['r9'])
  stage.end('r9')
  expect(await stage.running()).toEqual(['w'])
  stage.end('w')
  expect(await reply).toMatchObject({ status: 'success', output: [...reads, 'w'].join(' | ') })
})

test('a call that is refused waits for none, and none waits for it', async () => {
  const stage = new Stage(TOOLS)
  const acts = [act('crm__read', 'r1'), act('crm__write', 'refused'), act('crm__read', 'r2')]
  // Refused by the guard, and not by the node.
  const graph: Graph = ({ model, tools }) =>
    new StateGraph(MessagesAnnotation)
      .addNode('ask', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode('tools', new ToolNode([...tools]))
      .addEdge(START, 'ask')
      .addConditionalEdges('ask', next, ['tools', END])
      .addEdge('tools', 'ask')
      .compile()
  const { reply, lines } = await perform(stage, acts, { graph, config: { enabled_tools: ['crm__read'] } })
  expect(await stage.running()).toEqual(['r1', 'r2'])
  for (const id of ['r1', 'r2']) stage.end(id)
  expect(await reply).toMatchObject({
    output: expect.stringMatching(/^r1 \| Error: .* not enabled.* \| r2$/s),
  })
  expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ steps: 5 })
})

test('a call that waits for one that reads the web is not refused for it, since the model knew nothing of it', async () => {
  const stage = new Stage([...TOOLS, { name: 'web', readOnlyHint: true, openWorldHint: true }])
  const model = new ScriptedModel([
    { toolCalls: callsOf([act('web', 'page'), act('write', 'w1'), act('write', 'w2')]) },
    { toolCalls: callsOf([act('write', 'w3')]) },
    ({ messages }) => messages.at(-1)!.text,
  ])
  const { run } = await testService(agent, { models: [model.named()], tools: stage.tools })
  const reply = run('Go on')
  for (const id of ['page', 'w1', 'w2']) {
    expect(await stage.running()).toEqual([id])
    stage.end(id)
  }
  expect(await reply).toMatchObject({ output: expect.stringContaining('this run has read the web') })
})

/** A tool with effects makes these calls, each of which may make some itself. */
const inner = (ways: readonly string[], tools = TOOLS) => {
  const stage: Stage = new Stage(tools, async ({ id, acts }, config) => {
    if (!Array.isArray(acts)) return
    await makeWithin(ways[id.length - 1]!, stage.tools, acts as Act[], config)
  })
  return stage
}

const PAIRS = WITHIN.flatMap(one => WITHIN.map(other => [one, other] as const))

// EVIDENCE-OF docs/guides/tools.md: What a tool calls within itself, such as an agent with tools, is in an order of its own.
// EVIDENCE-OF docs/reference/tool-rules.md: What a tool calls within itself is counted by itself
test.each(some(PAIRS, WITHIN.length))(
  'calls within a call, %s within which %s: they are in an order of their own, and no call waits for itself',
  async (...ways) => {
    const stage = inner(ways)
    const leaves = (id: string) => [act('write', `${id}x`), act('read', `${id}y`)]
    const branch = (id: string) => act('write', id, { acts: leaves(id) })
    const acts = [act('write', 'a', { acts: [branch('aa'), branch('ab')] }), act('write', 'b')]
    const { reply } = await perform(stage, acts, { env: { MAX_STEPS: '40' } })
    expect(await stage.running()).toEqual(['a', 'aa', 'aax'])
    stage.end('aax')
    expect(await stage.running()).toEqual(['a', 'aa', 'aay'])
    for (const id of ['aay', 'aa']) stage.end(id)
    expect(await stage.running()).toEqual(['a', 'ab', 'abx'])
    for (const id of ['abx', 'aby', 'ab', 'a']) stage.end(id)
    expect(await stage.running()).toEqual(['b'])
    stage.end('b')
    expect(await reply).toMatchObject({ status: 'success', output: 'a | b' })
  },
)

test('a call that ends at its limit takes those along that wait within it', async () => {
  const stage = inner(['direct'], [...TOOLS, { name: 'slow', readOnlyHint: false, timeLimitMs: 5_000 }])
  const time = fakeTime()
  const acts = [act('slow', 'a', { acts: [act('write', 'a1'), act('write', 'a2')] }), act('write', 'b')]
  const { reply, lines } = await perform(stage, acts)
  await time.until(until(() => stage.trace.length === 2))
  await time.pass(5_100)
  expect(await stage.running()).toEqual(['b'])
  for (const id of ['a1', 'b']) stage.end(id)
  expect(await time.until(reply)).toMatchObject({
    output: expect.stringMatching(/took longer than 5 s.* \| b$/),
  })
  expect(stage.trace).not.toContain('+a2')
  expect(lines.find(({ msg }) => msg === 'run')).toMatchObject({ steps: 5 })
})

// EVIDENCE-OF docs/guides/upgrading.md: they say nothing of side effects (no `readOnlyHint`) if their agents are to run side by side.
test('tools that say nothing run agents side by side, within which each group has one order', async () => {
  const stage = inner(['createAgent'])
  const asks = ['a', 'b'].map(id => act('plain', id, { acts: [act('write', `${id}1`)] }))
  const { reply } = await perform(stage, asks, { env: { MAX_STEPS: '40' } })
  expect(await stage.running()).toEqual(['a', 'b', 'a1', 'b1'])
  for (const id of ['a1', 'b1', 'a', 'b']) stage.end(id)
  expect(await reply).toMatchObject({ status: 'success', output: 'a | b' })
})

test('a call whose context is lost on the way to an inner one does not wait for itself', async () => {
  const queue: (() => void)[] = []
  const work = setInterval(() => queue.shift()?.(), 1)
  const stage: Stage = new Stage(TOOLS, async ({ acts }, config) => {
    const { promise, resolve, reject } = Promise.withResolvers()
    if (acts) queue.push(() => void stage.tools[0]!.invoke({ id: 'inner' }, config).then(resolve, reject))
    return acts && (await promise)
  })
  const { reply } = await perform(stage, [act('write', 'outer', { acts: true })])
  await until(() => stage.trace.includes('+inner'))
  for (const id of ['inner', 'outer']) stage.end(id)
  expect(await reply).toMatchObject({ status: 'success', output: 'outer' })
  clearInterval(work)
})

test('a call that gets the config of a node outside does not wait for the one within which it is', async () => {
  let outside: RunnableConfig | undefined
  const stage: Stage = new Stage(TOOLS, async ({ acts }) => {
    if (Array.isArray(acts)) await stage.tools[0]!.invoke({ id: 'inner' }, outside)
  })
  const graph: Graph = ({ tools }) =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', async (_state, config) => {
        outside = config
        return { messages: [new AIMessage(await tools[0]!.invoke({ id: 'outer', acts: [] }, config))] }
      })
      .addEdge(START, 'own')
      .compile()
  const { reply } = await perform(stage, [], { graph })
  expect(await stage.running()).toEqual(['outer', 'inner'])
  for (const id of ['inner', 'outer']) stage.end(id)
  expect(await reply).toMatchObject({ status: 'success', output: 'outer' })
})

// EVIDENCE-OF docs/guides/tools.md: Parallel branches of a graph share one.
test('parallel branches of a graph share one order', async () => {
  const stage = new Stage(TOOLS)
  const branch = (name: string, id: string) => async () => {
    await stage.tools.find(tool => tool.name === name)!.invoke({ id })
    return { messages: [new AIMessage('Done.')] }
  }
  const graph: Graph = () =>
    new StateGraph(MessagesAnnotation)
      .addNode('one', branch('read', 'r'))
      .addNode('two', branch('write', 'w'))
      .addNode('three', branch('shop__write', 's'))
      .addEdge(START, 'one')
      .addEdge(START, 'two')
      .addEdge(START, 'three')
      .compile()
  const { reply } = await perform(stage, [], { graph })
  expect(await stage.running()).toEqual(['r', 's'])
  stage.end('r')
  expect(await stage.running()).toEqual(['s', 'w'])
  for (const id of ['s', 'w']) stage.end(id)
  expect(await reply).toMatchObject({ status: 'success', output: 'Done.' })
})
