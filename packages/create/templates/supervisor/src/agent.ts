import { defineAgent, RunContext } from '@agent-task-service/engine'
import { createGraph, SYSTEM_PROMPT } from '../graph/graph.ts'
import { createModels } from '../graph/models.ts'
import * as tools from '../tools/registry.ts'
import { variables } from './config.ts'

/** This agent: what `POST /run` and LangGraph Studio both serve. */
export const agent = defineAgent({
  graph: createGraph,
  context: RunContext,
  systemPrompt: SYSTEM_PROMPT,
  models: createModels,
  tools,
  variables,
})
