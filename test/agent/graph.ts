import { contextSchemaFor } from '@agent-task-service/engine'
import type { AIMessage } from '@langchain/core/messages'
import { END, START, StateGraph } from '@langchain/langgraph'
import { plan } from './nodes/plan.ts'
import { respond } from './nodes/respond.ts'
import { toolCall } from './nodes/tool-call.ts'
import type { AgentParts } from './parts.ts'
import { AgentContext, AgentState, Answer, Conversation, type State } from './state.ts'

/**
 * The agent's graph: plan ⇄ tool-call, then respond. `POST /run` and LangGraph Studio run the same graph.
 *
 * @example
 * const graph = createGraph(parts)
 * const { messages } = await graph.invoke({ messages: [new HumanMessage('What is 15% of 240?')] })
 */
export function createGraph(parts: AgentParts) {
  return new StateGraph({
    state: AgentState,
    input: Conversation,
    output: Answer,
    context: contextSchemaFor(AgentContext, parts),
  })
    .addNode('plan', plan(parts))
    .addNode('tool-call', toolCall(parts))
    .addNode('respond', respond(parts))
    .addEdge(START, 'plan')
    .addConditionalEdges('plan', afterPlan, ['tool-call', 'respond'])
    .addEdge('tool-call', 'plan')
    .addEdge('respond', END)
    .compile({ name: 'agent' })
}

/** Goes to `tool-call` if the model called tools it was offered, else to `respond`. */
export function afterPlan({ messages, wrapUp }: State): 'tool-call' | 'respond' {
  const { tool_calls: calls = [] } = (messages.at(-1) ?? {}) as AIMessage
  return calls.length > 0 && wrapUp === undefined ? 'tool-call' : 'respond'
}
