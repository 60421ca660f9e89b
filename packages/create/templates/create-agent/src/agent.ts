import { defineAgent, RunContext } from '@agent-task-service/engine'
import { createModels } from '@agent-task-service/starter/models'
import { createGraph, SYSTEM_PROMPT } from '../graph/graph.ts'
import * as tools from '../tools/registry.ts'
import { variables } from './config.ts'

/** This agent: what `POST /run` and LangGraph Studio both serve. */
export const agent = defineAgent({
  graph: createGraph,
  context: RunContext,
  systemPrompt: SYSTEM_PROMPT,
  // Those of the environment. For another provider's chat class, see the last section of graph.md, which AGENTS.md links.
  models: createModels,
  tools,
  variables,
})
