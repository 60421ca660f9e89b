/** What LangGraph Studio loads, by `langgraph.json`: the agent's graph, made afresh for each run. */
import { createStudioGraph } from '../graph/studio.ts'
import { readConfig } from './config.ts'
import { createLog } from './log.ts'
import { createScrub } from './scrub.ts'
import { createParts } from './service.ts'

const config = readConfig(process.env)
const log = createLog(config.logLevel, createScrub(config.secrets))
const parts = await createParts(config, log)
process.once('SIGTERM', () => void parts.close())

/** Called by Studio's server for each run, and for each look at the graph. */
export function agent() {
  return createStudioGraph(parts, ({ tool, error: err }) => log.warn({ tool, err }, 'tool failed'))
}
