/** What LangGraph Studio loads, by `langgraph.json`: the agent's graph with its meter and budget, a fresh account for each run. */
import { createGraph } from '../graph/graph.ts'
import { Meter } from '../graph/meter.ts'
import type { Account } from '../graph/scope.ts'
import { readConfig } from './config.ts'
import { createLog } from './log.ts'
import { createScrub } from './scrub.ts'
import { createParts } from './service.ts'

const config = readConfig(process.env)
const parts = await createParts(config, createLog(config.logLevel, createScrub(config.secrets)))

/** Called by Studio's server for each run. */
export function agent() {
  const startedAt = performance.now()
  const meter = new Meter()
  const account: Account = { meter, elapsedMs: () => performance.now() - startedAt, modelsGivenUp: 0 }
  return createGraph(parts).withConfig({ callbacks: [meter], configurable: { account } })
}
