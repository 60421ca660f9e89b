import { END, START, StateGraph } from '@langchain/langgraph'
import { afterPlan, afterToolCall } from './edges.ts'
import { planNode } from './nodes/plan.ts'
import { respondNode } from './nodes/respond.ts'
import { toolCallNode } from './nodes/tool-call.ts'
import { type AgentParts, scopeOf } from './scope.ts'
import { agentState, runSettings } from './state.ts'

/**
 * The agent's machine: plan → tool-call ⇄ plan → respond. Compiled once, run many times at once.
 *
 * @param settings what a run's `context` must fit
 */
export function createGraph(parts: AgentParts, settings = runSettings) {
  return new StateGraph(agentState, settings)
    .addNode('plan', planNode(parts))
    .addNode('tool-call', toolCallNode(parts))
    .addNode('respond', respondNode(parts))
    .addEdge(START, 'plan')
    .addConditionalEdges('plan', (state, config) => afterPlan(state, scopeOf(parts, config).budget), [
      'tool-call',
      'respond',
    ])
    .addConditionalEdges('tool-call', (_state, config) => afterToolCall(scopeOf(parts, config).budget), [
      'plan',
      'respond',
    ])
    .addEdge('respond', END)
    .compile({ name: 'agent' })
}

export type AgentGraph = ReturnType<typeof createGraph>
