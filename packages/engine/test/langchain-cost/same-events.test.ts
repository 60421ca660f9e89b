import { ScriptedModel } from '@agent-task-service/engine/testing'
import { BaseCallbackHandler } from '@langchain/core/callbacks/base'
import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch'
import { CallbackManager } from '@langchain/core/callbacks/manager'
import { type AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { type RunnableConfig, RunnableLambda } from '@langchain/core/runnables'
import { tool } from '@langchain/core/tools'
import { Annotation, END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { RunCallbacks } from '../../langchain-cost/run-callbacks.ts'

const METHODS = [
  ...['handleChainStart', 'handleChainEnd', 'handleChainError'],
  ...['handleChatModelStart', 'handleLLMNewToken', 'handleLLMEnd', 'handleLLMError'],
  ...['handleToolStart', 'handleToolEnd', 'handleToolError', 'handleCustomEvent', 'handleText'],
] as const

/** Without what is new in each run: ids and times. */
const lasting = (text: string) =>
  text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id').replace(/\b1\d{12}\b/g, 'time')

/** Records all that LangChain tells a handler, as JSON of that moment. */
class Witness extends BaseCallbackHandler {
  override readonly name = 'witness'
  override readonly awaitHandlers = true
  readonly events: string[] = []

  constructor() {
    super()
    for (const method of METHODS)
      Reflect.set(this, method, (...told: unknown[]) => void this.events.push(JSON.stringify([method, told])))
  }

  /** Without order, since parallel nodes have none. */
  get story(): readonly string[] {
    return this.events.map(lasting).sort()
  }

  /** Who called whom: each run's parent, by what the runs are. */
  get family(): readonly string[] {
    const starts = this.events.map(event => JSON.parse(event) as [string, unknown[]])
    const names = new Map<unknown, string>()
    const edges: string[] = []
    for (const [method, told] of starts) {
      if (!method.endsWith('Start')) continue
      const [, , id, parent] = told
      names.set(id, `${method} ${lasting(JSON.stringify(told.slice(4)))}`)
      edges.push(`${names.get(parent)} > ${names.get(id)}`)
    }
    return edges.sort()
  }
}

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  results: Annotation<string[]>({ reducer: (all, more) => all.concat(more), default: () => [] }),
})
type State = typeof State.State

const search = tool(
  async ({ query }, config) => {
    await dispatchCustomEvent('searched', { query }, config)
    if (query === 'nothing') throw new Error('nothing found')
    return `found ${query}`
  },
  { name: 'search', description: 'Searches', schema: z.object({ query: z.string() }), tags: ['of-tool'] },
)

/** A subgraph, parallel nodes, `Send`, a retry, caught errors, tools, streams, and configs of all kinds. */
function sampleGraph() {
  const calls = (...queries: string[]) =>
    queries.map(query => ({ name: 'search', args: { query }, id: query }))
  const reader = async ({ messages }: State, config: RunnableConfig) => {
    const model = new ScriptedModel([{ pieces: ['Par', 'is'], text: 'Paris' }])
    const asked = model.withConfig({
      tags: ['own', 'own'],
      metadata: { level: 2 },
      callbacks: [{ handleLLMEnd: () => undefined }],
    })
    const lambda = RunnableLambda.from(async (text: string) => `${text}!`).withConfig({ runName: 'shout' })
    const reply = await asked.invoke(messages, config)
    const loud = await lambda.invoke(reply.text, { ...config, tags: ['loud'] })
    return { results: [loud] }
  }
  const inner = new StateGraph(State)
    .addNode('reader', reader)
    .addEdge(START, 'reader')
    .addEdge('reader', END)
    .compile()
  let tries = 0
  return new StateGraph(State)
    .addNode('plan', async ({ messages }: State, config: RunnableConfig) => {
      const model = new ScriptedModel([{ toolCalls: calls('towns', 'nothing') }])
      return { messages: [await model.bindTools([search]).invoke(messages, config)] }
    })
    .addNode('tools', new ToolNode([search]))
    .addNode('inner', inner)
    .addNode('implicit', async () => {
      // LangGraph finds the config by itself.
      const model = new ScriptedModel(['Rome', new Error('no model')])
      const { text } = await model.invoke([new HumanMessage('?')])
      const failure = await model.invoke('?').catch(({ message }: Error) => message)
      return { results: [text, failure] }
    })
    .addNode(
      'flaky',
      () => {
        tries += 1
        if (tries === 1) throw new Error('once')
        return { results: ['steady'] }
      },
      { retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false } },
    )
    .addNode('piece', ({ results }: State) => ({ results: results.map(text => text.length.toString()) }))
    .addNode(
      'bare',
      RunnableLambda.from(() => ({ results: ['bare'] })).withConfig({ metadata: { level: 1 } }),
    )
    .addEdge(START, 'plan')
    .addConditionalEdges('plan', ({ messages }) =>
      (messages.at(-1) as AIMessage).tool_calls ? 'tools' : END,
    )
    .addEdge('tools', 'inner')
    .addEdge('tools', 'implicit')
    .addEdge('tools', 'flaky')
    .addConditionalEdges('implicit', ({ messages }) =>
      messages
        .filter(message => ToolMessage.isInstance(message))
        .map(({ text }) => new Send('piece', { messages: [], results: [text] })),
    )
    .addEdge('flaky', 'bare')
    .compile()
}

const input = { messages: [new HumanMessage({ id: 'task', content: 'Which towns?' })] as BaseMessage[] }
/** Only without tags are all runs below the root spared their run trees. */
const ROOTS: Record<string, RunnableConfig> = {
  plain: {},
  'with metadata': { metadata: { user: 'u1', level: 0 }, runName: 'task' },
  'with tags': { tags: ['mine', 'mine', 'yours'], metadata: { level: 0 }, recursionLimit: 40 },
}

const ways: Record<string, (config: RunnableConfig) => Promise<unknown>> = {
  invoke: async config => await sampleGraph().invoke(input, config),
  'callbacks, tags and metadata of the graph': async config =>
    await sampleGraph()
      .withConfig({ callbacks: [new Witness()], tags: ['bound'], metadata: { bound: true } })
      .invoke(input, config),
  'callbacks of the graph': async config =>
    await sampleGraph()
      .withConfig({ callbacks: [new Witness()] })
      .invoke(input, config),
  'stream in every mode': async config => {
    const streamMode = ['values', 'updates', 'messages', 'custom', 'debug'] as const
    const modes: string[] = []
    for await (const [mode] of await sampleGraph().stream(input, {
      ...config,
      streamMode: [...streamMode],
    }))
      modes.push(mode as string)
    return modes.sort()
  },
  streamEvents: async config => {
    const seen: string[] = []
    for await (const { event, name, tags, metadata } of sampleGraph().streamEvents(input, {
      ...config,
      version: 'v2',
    }))
      seen.push(lasting(JSON.stringify([event, name, tags, metadata])))
    return seen.sort()
  },
  'a manager with tags and metadata of its own': async config => {
    const within = RunnableLambda.from(async (text: string) => text.length)
    const around = RunnableLambda.from(async (text: string, given) => await within.invoke(text, given))
    const all = { level: 3 }
    const twice = CallbackManager.configure(config.callbacks, [], ['all', 'all'], ['one'], all)
    const local = CallbackManager.configure(config.callbacks, [], ['all'], [], all, { level: 4, depth: 4 })
    const shared = CallbackManager.configure(config.callbacks, [], [], [], all)
    shared?.copy().removeMetadata(all)
    for (const callbacks of [twice, local, shared]) await around.invoke('Rome', { ...config, callbacks })
  },
  'a graph that fails': async config =>
    await new StateGraph(State)
      .addNode('broken', () => Promise.reject(new Error('broken')))
      .addEdge(START, 'broken')
      .compile()
      .invoke(input, config)
      .catch(({ message }: Error) => message),
}

const cases = Object.keys(ways).flatMap(way => Object.keys(ROOTS).map(root => ({ way, root })))
test.each(cases)('a handler is told the same as by LangChain: $way, $root', async ({ way, root }) => {
  const [theirs, ours] = [new Witness(), new Witness()]
  const expected = await ways[way]?.({ ...ROOTS[root], callbacks: [theirs] })
  const result = await ways[way]?.({ ...ROOTS[root], callbacks: RunCallbacks.of([ours]) })
  const plain = (value: unknown) => lasting(JSON.stringify(value) ?? '')
  expect(plain(result)).toBe(plain(expected))
  expect(ours.story).toEqual(theirs.story)
  expect(ours.family).toEqual(theirs.family)
  expect(theirs.events.length).toBeGreaterThan(3)
})
