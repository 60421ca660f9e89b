/** What LangGraph Studio loads, by `langgraph.json`: the agent's graph, made afresh for each run. */
import { createGraph } from '../graph/graph.ts'
import { limitsFor } from '../graph/parts.ts'
import { Run } from '../graph/run/run.ts'
import type { AgentContext } from '../graph/state.ts'
import { readConfig } from './config.ts'
import { createLog, toolFaultIn } from './log.ts'
import { createScrub } from './scrub.ts'
import { createParts } from './service.ts'

const config = readConfig(process.env)
const log = createLog(config.logLevel, createScrub(config.secrets))
const parts = await createParts(config, log)
process.once('SIGTERM', () => void parts.close())

/**
 * Called by Studio's server for each run, and for each look at the graph. A run has the budget and the deadline of one
 * over HTTP, which count from now.
 */
export function agent(
  _config?: unknown,
  { executionRuntime }: { executionRuntime?: { context?: AgentContext } | null } = {},
) {
  const run = new Run({
    limits: limitsFor(parts, executionRuntime?.context ?? {}),
    arrivedAt: performance.now(),
    watch: event => {
      const fault = toolFaultIn(event)
      if (fault) log.warn(fault, 'tool failed')
    },
  })
  return createGraph(parts).withConfig(run.config())
}
