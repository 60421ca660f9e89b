import { type ContextConfig, limitReasons, RunContext, readContext } from '@agent-task-service/engine'
import { type GraphNode, MessagesValue, StateSchema, UntrackedValue } from '@langchain/langgraph'
import { z } from 'zod'

/** The graph's input: the conversation. */
export const Conversation = new StateSchema({ messages: MessagesValue })

/** As LangChain's `createAgent` calls the answer in the form of its `responseFormat`. */
const structuredResponse = z.unknown().optional()

/** The graph's output. The structured response is the answer; without one, the last message is. */
export const Answer = new StateSchema({ messages: MessagesValue, structuredResponse })

/**
 * The graph's state. A key added here is available to every node, over HTTP and in Studio. Untracked keys hold plain data
 * of one run: they are not checkpointed, and are absent after a resume.
 */
export const AgentState = new StateSchema({
  messages: MessagesValue,
  /** The limit that is near; while it is set, no tools are offered. */
  wrapUp: new UntrackedValue(z.enum(limitReasons).optional()),
  structuredResponse,
})

/** Settings of one run: `config` in `POST /run`, `context` in LangGraph. */
export const AgentContext = z.object({
  ...RunContext.shape,
})

export type AgentContext = z.infer<typeof AgentContext>
export type State = typeof AgentState.State

/** A node: `(state, config) => update`. */
export type AgentNode = GraphNode<typeof AgentState, AgentContext>
/** What a node receives in addition to the state. */
export type NodeConfig = Parameters<AgentNode>[1]

/**
 * The context of the run.
 *
 * @throws {RunFailure} for its members under `configurable`, which nothing reads
 */
export const contextOf = (config: ContextConfig): AgentContext => readContext(config, AgentContext)
