import { type GraphNode, MessagesValue, StateSchema, UntrackedValue } from '@langchain/langgraph'
import { z } from 'zod'
import { limitReasons } from './run/budget.ts'

/** What goes in and comes out: the conversation. Its last message is the answer. */
export const Conversation = new StateSchema({ messages: MessagesValue })

/**
 * The state of the graph. A key added here is there for every node, over HTTP and in Studio. Untracked keys hold plain
 * data of one run: they are in no checkpoint, and absent after a resume.
 */
export const AgentState = new StateSchema({
  messages: MessagesValue,
  /** The limit that is near, so that tools are no longer offered; absent: they are. */
  wrapUp: new UntrackedValue(z.enum(limitReasons).optional()),
})

/** Settings of one run, as `config` of `POST /run` has them: LangGraph's `context`. */
export const AgentContext = z.object({
  system_prompt: z.string().optional().describe("Replaces the agent's own system prompt"),
  max_tokens: z.int().min(1).optional().describe('Cap on the tokens generated over the whole run'),
  enabled_tools: z
    .array(z.string())
    .optional()
    .describe('Names of the tools enabled; absent: all, empty: none'),
})

export type AgentContext = z.infer<typeof AgentContext>
export type State = typeof AgentState.State

/** A node: `(state, config) => update`. */
export type AgentNode = GraphNode<typeof AgentState, AgentContext>
/** What a node gets beside the state. */
export type NodeConfig = Parameters<AgentNode>[1]
