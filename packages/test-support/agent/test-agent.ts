import { defineAgent, RunContext } from '@agent-task-service/engine'
import { mcp } from '@agent-task-service/mcp'
import { openTelemetry } from '@agent-task-service/observe'
import { redis } from '@agent-task-service/share'
import { createModels } from '@agent-task-service/starter/models'
import { shippedTools } from '@agent-task-service/starter/shipped'
import { searchNeeds, searchVariables } from '@agent-task-service/starter/web-search/settings'
import { createGraph } from './graph.ts'
import { tools } from './tools.ts'

export const SYSTEM_PROMPT = 'Answer the task.'

/** The agent that the engine's tests run: the engine's nodes, and the tools that ship. */
export const agent = defineAgent({
  graph: createGraph,
  context: RunContext,
  systemPrompt: SYSTEM_PROMPT,
  models: createModels,
  tools,
  share: redis(),
  observe: [openTelemetry()],
  moreTools: [mcp()],
  variables: searchVariables,
  needs: searchNeeds,
  ...shippedTools,
})
