/** The agent as it ships, with parts that are closed. */
import '@agent-task-service/engine/signals'

const { runProcess } = await import('@agent-task-service/engine/process')
const { agent } = await import('@agent-task-service/test-support/agent/test-agent')
const { defineAgent } = await import('@agent-task-service/engine')

async function close(): Promise<void> {
  // biome-ignore lint/suspicious/noConsole: becomes a line of the log
  console.log('the store is closed')
}

const owning = defineAgent({ ...agent, parts: parts => ({ ...parts, [Symbol.asyncDispose]: close }) })
await runProcess(owning, process.env, { port: 0, hostname: '127.0.0.1' })
