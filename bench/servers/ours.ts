/** This service as it ships, with the tools of the others, on a free port of 127.0.0.1 that its log line `listening` names. */
import '../../packages/engine/process/signals.ts'
import { runProcess } from '../../packages/engine/process/run-process.ts'
import { agent } from '../../src/agent.ts'
import { langChainTool } from './langchain-tool.ts'
import { added } from './tools.ts'

const tools = { ...agent.tools, ...Object.fromEntries(added.map(tool => [tool.name, langChainTool(tool)])) }
const variables = { MAX_CONCURRENT_RUNS: '2048', ...process.env }
await runProcess({ ...agent, tools }, variables, { port: 0, hostname: '127.0.0.1' })
