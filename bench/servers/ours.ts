/** This service as it ships, with room for all runs of a burst, on a free port of 127.0.0.1 that its log line `listening` names. */
import '../../packages/engine/process/signals.ts'
import { runProcess } from '../../packages/engine/process/run-process.ts'
import { agent } from '../../src/agent.ts'

await runProcess(agent, { MAX_CONCURRENT_RUNS: '2048', ...process.env }, { port: 0, hostname: '127.0.0.1' })
