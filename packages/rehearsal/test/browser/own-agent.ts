import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { testService } from '@agent-task-service/test-support/service'
import { createAdaptorServer } from '@hono/node-server'
import { onTestFinished } from 'vitest'
import { AGENT_TOKEN } from '../platform.ts'

/** This project's agent, `agent-7`, on its own socket; stops with the test. */
export async function startOwnAgent() {
  const { app } = await testService({ AGENT_ID: 'agent-7', AGENT_TOKENS: AGENT_TOKEN })
  const server = createAdaptorServer({ fetch: app.fetch }) as Server
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}` }
}
