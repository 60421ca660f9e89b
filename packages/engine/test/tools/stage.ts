import { setImmediate as turn } from 'node:timers/promises'
import type { AgentDefinition, GraphParts } from '@agent-task-service/engine'
import { SERVER } from '@agent-task-service/engine/more-tools'
import { toolCallNode } from '@agent-task-service/engine/nodes'
import { ScriptedModel } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { until } from '@agent-task-service/test-support/until'
import { AIMessage, type BaseMessage } from '@langchain/core/messages'
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools'
import { END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph'
import { createReactAgent, ToolNode } from '@langchain/langgraph/prebuilt'
import { createAgent, createMiddleware } from 'langchain'
import { z } from 'zod'

/** Turns of the event loop in which whatever may begin has begun. */
const TURNS = 20

/** A call of a tool on a stage. */
export interface Act {
  readonly tool: string
  /** Its arguments: what names it in the trace, and more that its tool reads. */
  readonly args: { readonly id: string } & Readonly<Record<string, unknown>>
}

export interface StagedTool {
  readonly name: string
  /** Absent: it says nothing. */
  readonly readOnlyHint?: boolean | undefined
  readonly server?: object | undefined
  readonly timeLimitMs?: number
  readonly openWorldHint?: boolean
}

type Play = (
  args: Act['args'],
  config: ToolRunnableConfig & { readonly signal: AbortSignal },
) => Promise<unknown>

/** Tools whose calls wait until the test lets them end, and what has happened to them. */
export class Stage {
  /** `+id` for each call that has begun, `-id` for each that has ended. */
  readonly trace: string[] = []
  readonly tools: readonly StructuredToolInterface[]
  readonly #gates = new Map<string, PromiseWithResolvers<void>>()

  /** @param play what a call does before it waits; it then fails with what this returns, if that is an error */
  constructor(tools: readonly StagedTool[], play: Play = async () => undefined) {
    this.tools = tools.map(({ name, server, ...metadata }) => {
      const made = tool((args, config) => this.#perform(args, config as never, play), {
        name,
        description: name,
        schema: z.looseObject({ id: z.string() }),
        metadata,
      })
      return server ? Object.assign(made, { [SERVER]: server }) : made
    })
  }

  async #perform(args: Act['args'], config: Parameters<Play>[1], play: Play): Promise<string> {
    const { id } = args
    const cut = Promise.withResolvers<never>()
    config.signal?.addEventListener('abort', () => cut.reject(new Error('cut off')), { once: true })
    this.trace.push(`+${id}`)
    try {
      const failure = await Promise.race([this.#act(args, config, play), cut.promise])
      if (failure instanceof Error) throw failure
      return id
    } finally {
      this.trace.push(`-${id}`)
    }
  }

  async #act(args: Act['args'], config: Parameters<Play>[1], play: Play): Promise<unknown> {
    const failure = await play(args, config)
    await this.#gate(args.id).promise
    return failure
  }

  #gate(id: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(id) ?? Promise.withResolvers<void>()
    this.#gates.set(id, gate)
    return gate
  }

  /** Lets a call end. */
  end(id: string): void {
    this.#gate(id).resolve()
  }

  /** The calls that run now, in the order in which they began, once no other begins. */
  async running(): Promise<string[]> {
    await until(() => this.trace.length > 0)
    let seen = 0
    for (let quiet = 0; quiet < TURNS; quiet = this.trace.length === seen ? quiet + 1 : 0) {
      seen = this.trace.length
      await turn()
    }
    const has = (event: string) => this.trace.includes(event)
    return this.trace.filter(event => event[0] === '+' && !has(`-${event.slice(1)}`)).map(id => id.slice(1))
  }
}

/** Calls as a model makes them. */
export const callsOf = (acts: readonly Act[]) =>
  acts.map(({ tool: name, args }) => ({ name, args, id: `call-${args.id}`, type: 'tool_call' as const }))

type State = typeof MessagesAnnotation.State
export type Graph = AgentDefinition['graph']

export const callsIn = ({ messages }: State) => (messages.at(-1) as AIMessage).tool_calls ?? []
export const next = (state: State) => (callsIn(state).length > 0 ? 'tools' : END)

const loop = ({ model, tools }: GraphParts) =>
  new StateGraph(MessagesAnnotation)
    .addNode('ask', async ({ messages }) => ({
      messages: [await model.bindTools([...tools]).invoke(messages)],
    }))
    .addEdge(START, 'ask')

/** Every way in which a graph makes the calls of a turn. */
export const ways: Record<string, Graph> = {
  toolCallNode: agent.graph,
  ToolNode: parts =>
    loop(parts)
      .addNode('tools', new ToolNode([...parts.tools]))
      .addConditionalEdges('ask', next, ['tools', END])
      .addEdge('tools', 'ask')
      .compile(),
  Send: parts =>
    loop(parts)
      .addNode('tools', new ToolNode([...parts.tools]))
      .addConditionalEdges(
        'ask',
        state => callsIn(state).map(call => new Send('tools', { lg_tool_call: call })),
        ['tools', END],
      )
      .addEdge('tools', 'ask')
      .compile(),
  createReactAgent: ({ model: llm, tools }) => createReactAgent({ llm, tools: [...tools] }),
  createAgent: ({ model, tools }) => createAgent({ model, tools: [...tools] }),
  middleware: ({ model, tools }) =>
    createAgent({
      model,
      tools: [...tools],
      middleware: [
        createMiddleware({ name: 'wraps', wrapToolCall: async (call, handler) => await handler(call) }),
      ],
    }),
}

/** An agent whose model makes these calls in one turn. */
const agentOf = (tools: readonly StructuredToolInterface[], acts: readonly Act[], way: string) => {
  const model = new ScriptedModel(({ messages }: { messages: readonly BaseMessage[] }) =>
    messages.at(-1)?.type === 'tool' ? 'Done.' : { toolCalls: callsOf(acts) },
  )
  if (way === 'createAgent') return createAgent({ model, tools: [...tools] })
  const node = way === 'ToolNode' ? new ToolNode([...tools]) : toolCallNode({ tools })
  return new StateGraph(MessagesAnnotation)
    .addNode('ask', () => ({ messages: [new AIMessage({ content: '', tool_calls: callsOf(acts) })] }))
    .addNode('tools', node as ToolNode)
    .addEdge(START, 'ask')
    .addEdge('ask', 'tools')
    .compile()
}

/** How a tool makes calls itself. */
export const WITHIN = ['createAgent', 'ToolNode', 'toolCallNode', 'direct', 'with nothing passed on']

/** Makes calls within a call, and waits for all, however they end. */
export async function makeWithin(
  way: string,
  tools: readonly StructuredToolInterface[],
  acts: readonly Act[],
  config: ToolRunnableConfig,
): Promise<void> {
  if (way === 'direct' || way === 'with nothing passed on') {
    const passed = way === 'direct' ? config : undefined
    await Promise.allSettled(
      acts.map(({ tool, args }) => tools.find(({ name }) => name === tool)!.invoke(args, passed)),
    )
  } else await agentOf(tools, acts, way).invoke({ messages: [] }, config)
}
