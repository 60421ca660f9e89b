/** The agent as it ships, with parts that are closed. */
import '../../packages/engine/process/signals.ts'

const { runProcess } = await import('../../packages/engine/process/run-process.ts')
const { agent } = await import('@agent-task-service/test-support/agent/test-agent')
const { defineAgent } = await import('../../packages/engine/definition.ts')

async function close(): Promise<void> {
  // biome-ignore lint/suspicious/noConsole: becomes a line of the log
  console.log('the store is closed')
}

const owning = defineAgent({ ...agent, parts: parts => ({ ...parts, [Symbol.asyncDispose]: close }) })
await runProcess(owning, process.env, { port: 0, hostname: '127.0.0.1' })
