/** A replica: the agent of the tests, on any port. */
import { runProcess } from '@agent-task-service/engine/process'
import { agent } from '@agent-task-service/test-support/agent/test-agent'

await runProcess(agent, process.env, { port: 0, hostname: '127.0.0.1' })
