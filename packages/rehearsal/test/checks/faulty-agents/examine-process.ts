import { fileURLToPath } from 'node:url'
import { startAgent } from '@agent-task-service/rehearsal/agents'
import { runChecks } from '@agent-task-service/rehearsal/checks'
import type { Report } from '@agent-task-service/rehearsal/report'
import { fakeKey } from '@agent-task-service/rehearsal/secrets'
import { heldPort } from '@agent-task-service/test-support/held-port'
import { tasks } from './examine.ts'
import { ROOMY } from './limits.ts'
import type { ProcessFault } from './process-faults.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

/** The same with an agent in a separate process, which the checks start with fake secrets in its environment. */
export async function examineProcess({ name, limits, only }: ProcessFault): Promise<Report> {
  const port = await heldPort()
  const token = fakeKey()
  const url = `http://127.0.0.1:${port}`
  const command = `exec "${process.execPath}" "${MAIN}" ${name} --port ${port}`
  const start = await startAgent({ command, url, environment: { AGENT_TOKENS: token } })
  try {
    return await runChecks({ url, token, tasks, start, only, limits: { ...ROOMY, ...limits } })
  } finally {
    await start.end()
  }
}
