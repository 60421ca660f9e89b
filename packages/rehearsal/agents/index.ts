/** An agent as others see it: how it is called, started and read, and what is wrong with its replies. */

export { HEALTH_TIMEOUT_MS, RUN_TIMEOUT_MS } from '../limits.ts'
export { AgentClient } from './agent-client.ts'
export type { Exchange } from './exchange.ts'
export { type LogSource, logFile, logStream } from './log-sources.ts'
export { plantSecrets, startOwnAgent } from './own-agent.ts'
export { startRedis } from './redis-server.ts'
export { startReplicas } from './replicas.ts'
export { type Replica, type Replicas, startAgent } from './start-agent.ts'
export { healthViolations, runViolations } from './violations.ts'
