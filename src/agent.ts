import { defineAgent } from '@agent-task-service/engine'
import { mcp } from '@agent-task-service/mcp'
import { openTelemetry } from '@agent-task-service/observe'
import { redis } from '@agent-task-service/share'
import { shippedTools } from '@agent-task-service/starter/shipped'
import { createGraph } from '../graph/graph.ts'
import { createModels } from '../graph/models.ts'
import { createParts } from '../graph/parts.ts'
import { DEFAULT_SYSTEM_PROMPT } from '../graph/prompts.ts'
import { AgentContext } from '../graph/state.ts'
import * as tools from '../tools/registry.ts'
import { needs, variables } from './config.ts'

/** This agent: what `POST /run` and LangGraph Studio both serve. */
export const agent = defineAgent({
  parts: createParts,
  graph: createGraph,
  context: AgentContext,
  systemPrompt: DEFAULT_SYSTEM_PROMPT,
  models: createModels,
  tools,
  share: redis(),
  observe: [openTelemetry()],
  moreTools: [mcp()],
  variables,
  needs,
  ...shippedTools,
})
