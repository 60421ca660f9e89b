import { ScriptedModel, testService } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { serve, watchRun } from '@agent-task-service/test-support/event-stream'
import { Random } from '@agent-task-service/test-support/random'
import type { GraphTopology, StreamEvent } from '@agent-task-service/wire/contract'
import { AIMessage } from '@langchain/core/messages'
import { END, entrypoint, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { createParser } from 'eventsource-parser'
import { expect, test } from 'vitest'

const SEEDS = 30
const NAMES = ['plan', 'subgraph', 'end', 'tool-call', 'a/b', 'höher', 'two words', '"quoted"']

/** What the owner of a graph builds; its nodes have any names. */
type Builder = StateGraph<unknown, object, object, string>
const builder = () => new StateGraph(MessagesAnnotation) as Builder
const say = () => ({ messages: [new AIMessage('Done.')] })

/** Layers of one or two nodes, with edges from each to the next; subgraphs up to two deep. */
function drawnGraph(random: Random, depth = 0): ReturnType<Builder['compile']> {
  const names = NAMES.filter(() => random.happens(0.5 - depth / 6)).concat('last')
  const graph = builder()
  for (const name of names)
    graph.addNode(name, depth < 2 && random.happens(0.3) ? drawnGraph(random, depth + 1) : say)
  const layers = [[START], ...layersOf(names, random), [END]]
  for (const [index, targets] of layers.slice(1).entries())
    for (const source of layers[index]!) connect(graph, source, targets, random)
  return graph.compile()
}

/** By plain edges, by a condition that says where it may lead, or by one that may lead anywhere. */
function connect(graph: Builder, source: string, targets: readonly string[], random: Random): void {
  const way = random.pick(['plain', 'conditional', 'anywhere'])
  if (way === 'plain') for (const target of targets) graph.addEdge(source, target)
  else graph.addConditionalEdges(source, () => [...targets], way === 'conditional' ? [...targets] : undefined)
}

function layersOf(names: readonly string[], random: Random): string[][] {
  const layers: string[][] = []
  for (let at = 0; at < names.length; at += layers.at(-1)!.length)
    layers.push(names.slice(at, at + random.whole(1, 2)))
  return layers
}

/** The events of one run of a graph. */
async function eventsOf(graph: () => unknown): Promise<StreamEvent[]> {
  const { post, close } = await testService({ ...agent, graph: graph as typeof agent.graph })
  const reply = await post({ task_id: 'test-1', input: 'Hi' }, { accept: 'text/event-stream' })
  const events: StreamEvent[] = []
  const onEvent = ({ event, data }: { event?: string; data: string }) =>
    void events.push({ type: event, data: JSON.parse(data) } as StreamEvent)
  createParser({ onEvent }).feed(await reply.text())
  await close()
  return events
}

function topologyIn([first]: readonly StreamEvent[]): GraphTopology | undefined {
  if (first?.type !== 'run_started') throw new Error(`expected run_started, got ${first?.type}`)
  return first.data.graph
}

// EVIDENCE-OF docs/reference/event-stream.md: Every node that starts is named there, and an edge leads to it from a node of the
//   superstep before.
test.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
  'a run tells the graph that it takes (drawn by seed %i)',
  async seed => {
    const events = await eventsOf(() => drawnGraph(new Random(seed)))
    const { nodes = [], edges = [] } = topologyIn(events) ?? {}
    const before = new Map<string, string[]>()
    for (const { type, data } of events) {
      if (type !== 'node_started') continue
      expect(nodes).toContain(data.node)
      const around = nodes.map(name => `${name}/`).filter(start => data.node.startsWith(start))
      const prefix = around.reduce((one, other) => (other.length > one.length ? other : one), '')
      const sources = before.get(`${prefix} ${data.superstep - 1}`) ?? [`${prefix}__start__`]
      const led = edges.some(({ source, target }) => sources.includes(source) && target === data.node)
      expect(led, `an edge from ${sources} to ${data.node}`).toBe(true)
      const beside = before.get(`${prefix} ${data.superstep}`) ?? []
      before.set(`${prefix} ${data.superstep}`, [...beside, data.node])
    }
    expect(before.size).toBeGreaterThan(0)
  },
)

test("an owner's own nodes are told, which of its edges are conditional, and the node of each call", async () => {
  const models = [
    new ScriptedModel([
      { toolCalls: [{ name: 'calculator', args: { expression: '1 + 1' } }] },
      'Two.',
    ]).named(),
  ]
  const { url } = await serve({}, { models })
  const events = await watchRun(url, { task_id: 'test-1', input: 'What is 1 + 1?' }).rest()
  const { nodes, edges } = topologyIn(events)!
  expect(nodes).toEqual(['__start__', 'plan', 'tool-call', 'respond', '__end__'])
  expect(edges).toContainEqual({ source: 'plan', target: 'tool-call', conditional: true })
  expect(edges).toContainEqual({ source: 'tool-call', target: 'plan', conditional: false })
  const calls = events.filter(({ type }) => type === 'model_started' || type === 'tool_started')
  expect(calls.map(({ data }) => 'node' in data && data.node)).toEqual(['plan', 'tool-call', 'plan'])
})

// EVIDENCE-OF docs/reference/event-stream.md: `graph` is absent if LangGraph cannot draw it (an `entrypoint()`), or its JSON
//   exceeds 16,384 characters.
test('a graph that LangGraph cannot draw, or that is too long, is left out, and runs', async () => {
  const long = () => {
    const graph = builder()
    for (let number = 0; number < 30; number++) {
      const name = `${number} ${'x'.repeat(600)}`
      graph.addNode(name, say).addEdge(START, name)
    }
    return graph.compile()
  }
  const undrawn = () => entrypoint('own', async () => ({ messages: [new AIMessage('Done.')] }))
  for (const graph of [long, undrawn]) {
    const events = await eventsOf(graph)
    expect(topologyIn(events)).toBeUndefined()
    expect(events.at(-1)!.data).toMatchObject({ response: { status: 'success', output: 'Done.' } })
  }
})
