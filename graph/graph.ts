import { END, START, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'
import { afterPlan } from './edges.ts'
import { plan } from './nodes/plan.ts'
import { respond } from './nodes/respond.ts'
import { toolCall } from './nodes/tool-call.ts'
import type { AgentParts } from './parts.ts'
import { AgentContext, AgentState, Conversation } from './state.ts'

/** The agent: plan ⇄ tool-call, then respond. What `POST /run` invokes is what LangGraph Studio shows. */
export function createGraph(parts: AgentParts) {
  return new StateGraph({
    state: AgentState,
    input: Conversation,
    output: Conversation,
    // Untyped: LangGraph's types take every optional member of a context for required. Nodes see it as AgentContext.
    context: contextOf(parts) as unknown as undefined,
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

export type AgentGraph = ReturnType<typeof createGraph>

/** The settings of a run as Studio's form shows them: the prompt in use, to be edited, and the tools there are. */
function contextOf({ systemPrompt, tools }: AgentParts): typeof AgentContext {
  const { system_prompt, enabled_tools } = AgentContext.shape
  const prompt = { default: systemPrompt, langgraph_nodes: ['plan', 'respond'], langgraph_type: 'prompt' }
  const known = z.string().refine(name => tools.some(tool => tool.name === name), {
    error: () => `expected one of ${tools.map(({ name }) => name).join(', ')}`,
  })
  return AgentContext.extend({
    system_prompt: system_prompt.meta(prompt),
    enabled_tools: z
      .array(known.meta({ enum: tools.map(({ name }) => name) }))
      .optional()
      .describe(enabled_tools.description ?? ''),
  })
}
