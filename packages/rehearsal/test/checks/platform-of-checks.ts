import { randomBytes } from 'node:crypto'
import type { PlatformAccess } from '@agent-task-service/rehearsal/checks'
import { createPlatform, createRedact, listen, openStore } from '@agent-task-service/rehearsal/platform'

/**
 * A platform for the checks: on the loopback interface, with its records in memory.
 *
 * @param agent the agent being checked
 */
export async function startPlatformOfChecks(agent: {
  readonly id: string
  readonly url: string
  readonly token?: string | undefined
}): Promise<PlatformAccess & { close(): Promise<void> }> {
  const token = randomBytes(24).toString('base64url')
  const redact = createRedact(agent.token === undefined ? [token] : [token, agent.token])
  const store = openStore(':memory:', redact)
  const platform = createPlatform({
    agents: [agent],
    token,
    store,
    redact,
    runChecks: () => Promise.reject(new Error('the checks are running already')),
  })
  const server = await listen(platform.app, 0)
  const close = async () => {
    await server.close()
    await platform.stop()
    store.close()
  }
  return { url: server.url, token, agentId: agent.id, close }
}
