import { randomUUID } from 'node:crypto'
import type { AgentDefinition, AgentGraph, GraphParts } from '@agent-task-service/engine'
import type { ScriptedReply } from '@agent-task-service/engine/testing'
import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { Annotation, END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { createSupervisor } from '@langchain/langgraph-supervisor'
import { createAgent } from 'langchain'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { never, sleep } from './simulation/waits.ts'
import { BEAT_MS, Fleet, type ModelRequest } from './two-replicas.ts'

const ON = { JOURNAL: 'on' }
const usage = { input: 10, output: 5 }
const LAST = 'Sum it up.'
let replies = 0

const look = tool(async () => `Sight ${++replies}`, {
  name: 'look',
  description: 'looks',
  schema: z.object({ at: z.string() }),
})

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  parts: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
  part: Annotation<string>,
})

const ask = async ({ model }: GraphParts, text: string) => (await model.invoke([new HumanMessage(text)])).text

/** Plans, works on three parts at once, and joins their results. */
const mapReduce = (parts: GraphParts) =>
  new StateGraph(State)
    .addNode('plan', async () => ({ parts: [await ask(parts, 'Plan.')] }))
    .addNode('work', async ({ part }) => ({ parts: [await ask(parts, `Work on ${part}.`)] }))
    .addNode('join', async ({ parts: all }) => {
      return { messages: [new AIMessage(await ask(parts, `${LAST} ${all.toSorted().join(' ')}`))] }
    })
    .addEdge(START, 'plan')
    .addConditionalEdges('plan', () => ['a', 'b', 'c'].map(part => new Send('work', { part })))
    .addEdge('work', 'join')
    .addEdge('join', END)
    .compile() as unknown as AgentGraph

/** One node that asks the same twice, then for structured output, then for the answer. */
const oneNode = (parts: GraphParts) =>
  new StateGraph(MessagesAnnotation)
    .addNode('own', async () => {
      const drafts = [await ask(parts, 'Draft.'), await ask(parts, 'Draft.')]
      const form = parts.model.withStructuredOutput(z.object({ at: z.string() }), { name: 'look' })
      const { at } = await form.invoke([new HumanMessage('Where?')])
      return { messages: [new AIMessage(await ask(parts, `${LAST} ${[...drafts, at].join(' ')}`))] }
    })
    .addEdge(START, 'own')
    .addEdge('own', END)
    .compile() as unknown as AgentGraph

/** A node that fails and is run again. */
const retried = (parts: GraphParts) => {
  let runs = 0
  return new StateGraph(MessagesAnnotation)
    .addNode(
      'own',
      async () => {
        const draft = await ask(parts, 'Draft.')
        runs += 1
        if (runs === 1) throw new Error('again')
        return { messages: [new AIMessage(await ask(parts, `${LAST} ${draft}`))] }
      },
      { retryPolicy: { maxAttempts: 2, initialInterval: 1, retryOn: () => true } },
    )
    .addEdge(START, 'own')
    .addEdge('own', END)
    .compile() as unknown as AgentGraph
}

/** A supervisor tells itself that its worker is back by a call with an id of its own. */
const supervised = ({ model, tools }: GraphParts) => {
  const worker = createReactAgent({ llm: model, tools: [...tools], name: 'worker', prompt: 'Look.' })
  const team = createSupervisor({ agents: [worker], llm: model, prompt: 'Lead.' })
  return team.compile() as unknown as AgentGraph
}

const isLast = ({ messages }: ModelRequest) =>
  messages.at(-1)!.text.startsWith(LAST) || messages.filter(({ type }) => type === 'tool').length === 2

/** Words each reply anew, and calls `look` where it is offered, one call after the other. */
function words(request: ModelRequest): ScriptedReply {
  replies += 1
  const { messages, tools } = request
  const all = messages.slice(1).map(({ text }) => text)
  if (isLast(request)) return { text: `Answer ${replies}: ${[messages[0]!.text, ...all].join(' ')}`, usage }
  const toolCalls = tools.length > 0 ? [{ name: 'look', args: { at: `place ${replies}` } }] : []
  return { text: `Words ${replies}.`, toolCalls, usage }
}

// EVIDENCE-OF docs/reference/fleet.md: So a graph goes on whatever its state looks like, without a checkpointer or a thread.
test.each<[name: string, graph: AgentDefinition['graph'], calls: number]>([
  ['LangChain createAgent', ({ model, tools }) => createAgent({ model, tools: [...tools] }), 3],
  ['createReactAgent', ({ model, tools }) => createReactAgent({ llm: model, tools: [...tools] }) as never, 3],
  ['parallel nodes with a state of their own', mapReduce, 5],
  ['a node with equal and structured requests', oneNode, 4],
  ['a node that is run again', retried, 3],
])('%s goes on from its last step', async (_name, graph, calls) => {
  const fleet = new Fleet()
  const reached = Promise.withResolvers<BaseMessage[]>()
  const script = (request: ModelRequest) => {
    if (!isLast(request)) return words(request)
    reached.resolve([...request.messages])
    return never()
  }
  const first = await fleet.replica([look], script, ON, graph)
  const task_id = randomUUID()
  // A result goes with the next record, or heartbeat.
  await first.loseAt(
    task_id,
    reached.promise.then(() => sleep(BEAT_MS)),
  )
  const second = await fleet.replica([look], words, ON, graph)
  const { status, output, metrics } = await second.run(task_id)
  expect(status).toBe('success')
  expect(first.model.requests).toHaveLength(calls)
  expect(second.model.requests).toHaveLength(1)
  const before = (await reached.promise).map(({ text }) => text)
  expect(second.model.requests[0]!.messages.map(({ text }) => text)).toEqual(before)
  expect(output).toContain(before.join(' '))
  expect(metrics).toMatchObject({ input_tokens: 10 * calls, output_tokens: 5 * calls })
})

test('an agent with a structured response goes on from its last step', async () => {
  const graph = ({ model, tools }: GraphParts) =>
    createAgent({ model, tools: [...tools], responseFormat: z.object({ sum: z.string() }) })
  const extract = ({ tools }: ModelRequest) => tools.find(name => name.startsWith('extract-'))!
  const script = (request: ModelRequest): ScriptedReply => {
    if (!isLast(request)) return words(request)
    return { toolCalls: [{ name: extract(request), args: { sum: 'All seen.' } }], usage }
  }
  const fleet = new Fleet()
  const first = await fleet.replica([look], script, ON, graph)
  const task_id = randomUUID()
  await first.loseOnFinish(task_id)
  const second = await fleet.replica([look], script, ON, graph)
  const { output, metrics } = await second.run(task_id)
  expect(JSON.parse(output!)).toEqual({ sum: 'All seen.' })
  expect(metrics).toMatchObject({ input_tokens: 30 })
  expect(first.model.requests).toHaveLength(3)
  expect(new Set(first.model.requests.map(extract)).size).toBe(3)
  expect(second.model.requests).toHaveLength(0)
})

test('a supervisor goes on from its last step', async () => {
  const lead = (request: ModelRequest): ScriptedReply => {
    const back = request.messages.filter(({ name }) => name === 'transfer_back_to_supervisor')
    replies += 1
    if (!request.tools.includes('transfer_to_worker') || back.length > 1) return { text: `${replies}`, usage }
    return { toolCalls: [{ name: 'transfer_to_worker' }], usage }
  }
  const fleet = new Fleet()
  const reached = Promise.withResolvers<void>()
  let asked = 0
  const script = (request: ModelRequest) => {
    asked += 1
    if (asked < 5) return lead(request)
    reached.resolve()
    return never()
  }
  const first = await fleet.replica([look], script, ON, supervised)
  const task_id = randomUUID()
  await first.loseAt(task_id, reached.promise)
  const second = await fleet.replica([look], lead, ON, supervised)
  expect(await second.run(task_id)).toMatchObject({ status: 'success', metrics: { input_tokens: 50 } })
  expect(second.model.requests).toHaveLength(1)
})

test('calls at once get what recorded ones have left of a cap', async () => {
  const texts = ['One.', 'Two.', 'Three.']
  const graph = (parts: GraphParts) =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', async () => {
        const all = await Promise.all(texts.map(text => ask(parts, text)))
        return { messages: [new AIMessage(all.join(' '))] }
      })
      .addEdge(START, 'own')
      .addEdge('own', END)
      .compile() as unknown as AgentGraph
  const fleet = new Fleet()
  const reached = Promise.withResolvers<void>()
  const answer = { text: 'Yes.', usage: { input: 10, output: 40 } }
  const script = ({ messages }: ModelRequest) => {
    if (messages[0]!.text !== 'Three.') return answer
    reached.resolve()
    return never()
  }
  const env = { ...ON, MAX_OUTPUT_TOKENS: '100' }
  const first = await fleet.replica([], script, env, graph)
  const task_id = randomUUID()
  await first.loseAt(
    task_id,
    reached.promise.then(() => sleep(100)),
  )
  const second = await fleet.replica([], () => answer, env, graph)
  await second.run(task_id)
  expect(second.model.requests).toMatchObject([{ maxTokens: 20 }])
})

// EVIDENCE-OF docs/reference/fleet.md: A node whose request is another one each time (the time, a random number, a model that
//   is not in the list) goes on live from there.
test('a node whose request is another one each time goes on live, and the log says from which step', async () => {
  let nth = 0
  const graph = (parts: GraphParts) =>
    new StateGraph(MessagesAnnotation)
      .addNode('own', async () => {
        const draft = await ask(parts, 'Draft.')
        nth += 1
        const text = await ask(parts, `At ${nth}: ${draft}`)
        return { messages: [new AIMessage(await ask(parts, `${LAST} ${text}`))] }
      })
      .addEdge(START, 'own')
      .addEdge('own', END)
      .compile() as unknown as AgentGraph
  const fleet = new Fleet()
  const reached = Promise.withResolvers<void>()
  const script = (request: ModelRequest) => {
    if (!isLast(request)) return words(request)
    reached.resolve()
    return never()
  }
  const first = await fleet.replica([], script, ON, graph)
  const task_id = randomUUID()
  // A result goes with the next record, or heartbeat.
  await first.loseAt(
    task_id,
    reached.promise.then(() => sleep(BEAT_MS)),
  )
  const second = await fleet.replica([], words, ON, graph)
  expect(await second.run(task_id)).toMatchObject({ status: 'success' })
  expect(second.model.requests).toHaveLength(2)
  expect(second.lines('run')).toMatchObject([{ replayed_steps: 1, live_from_step: 2 }])
})
