/**
 * The real process, on any free port of the loopback interface. With `TEST_PORT` it listens on that port of every
 * address, as an agent must for its acceptance checks; 0 is any.
 */
import '@agent-task-service/engine/signals'

// Imported dynamically, as in src/main.ts.
const { runProcess } = await import('@agent-task-service/engine/process')
const { agent } = await import('./agent/test-agent.ts')
const { TEST_PORT } = process.env
await runProcess(
  agent,
  process.env,
  TEST_PORT ? { port: Number(TEST_PORT) } : { port: 0, hostname: '127.0.0.1' },
)
