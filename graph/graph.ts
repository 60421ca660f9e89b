// Its other entry lets each step find its configuration through the call stack: here every step is handed it.
import { END, START, StateGraph } from '@langchain/langgraph/web'
import type { z } from 'zod'
import { afterPlan } from './edges.ts'
import { plan } from './nodes/plan.ts'
import { respond } from './nodes/respond.ts'
import { callTools } from './nodes/tool-call.ts'
import type { AgentParts } from './scope.ts'
import { agentState, runSettings } from './state.ts'
import { Step } from './step.ts'

/** What Studio makes its forms of. */
export interface GraphForms {
  /** The state's one channel, messages, with a schema. LangGraph checks every update against it, which takes time. */
  readonly state: z.ZodObject
  readonly settings: typeof runSettings
}

/**
 * The agent's machine: plan ⇄ tool-call, then respond. Compiled once, run many times at once.
 *
 * @param forms what the state and a run's `context` must fit
 */
export function createGraph(parts: AgentParts, forms?: GraphForms) {
  const state = (forms?.state ?? agentState) as typeof agentState
  return new StateGraph(state, forms?.settings ?? runSettings)
    .addNode('plan', new Step('plan', parts, plan))
    .addNode('tool-call', new Step('tool-call', parts, callTools))
    .addNode('respond', new Step('respond', parts, respond))
    .addEdge(START, 'plan')
    .addConditionalEdges('plan', new Step('after-plan', parts, afterPlan), ['tool-call', 'respond'])
    .addEdge('tool-call', 'plan')
    .addEdge('respond', END)
    .compile({ name: 'agent' })
}

export type AgentGraph = ReturnType<typeof createGraph>
