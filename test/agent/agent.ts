import { defineAgent } from '@agent-task-service/engine'
import { shippedTools } from '@agent-task-service/tools/shipped'
import { calculator } from '../../tools/calculator.ts'
import { time } from '../../tools/time.ts'
import { webSearch } from '../../tools/web-search.ts'
import { needs, variables } from './config.ts'
import { createGraph } from './graph.ts'
import { createModels } from './models.ts'
import { createParts } from './parts.ts'
import { DEFAULT_SYSTEM_PROMPT } from './prompts.ts'
import { AgentContext } from './state.ts'

/** The agent as it ships. The engine's tests run it, so that no change of graph/ turns one of them red. */
export const agent = defineAgent({
  parts: createParts,
  graph: createGraph,
  context: AgentContext,
  systemPrompt: DEFAULT_SYSTEM_PROMPT,
  models: createModels,
  tools: { calculator, time, webSearch },
  variables,
  needs,
  ...shippedTools,
})
