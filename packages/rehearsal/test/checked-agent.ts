import { readConfig } from '@agent-task-service/engine/config'
import { listen } from '@agent-task-service/engine/server'
import { createService } from '@agent-task-service/engine/service'
import type { LogSource } from '@agent-task-service/rehearsal/agents'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { onTestFinished } from 'vitest'

/** This project's agent on a socket, with its log; closes after the test. `env` is its whole environment. */
export async function listeningAgent(
  env: Record<string, string> = {},
): Promise<{ url: string; log: LogSource }> {
  let text = ''
  const sink = {
    write: (line: string) => {
      text += line
    },
  }
  const service = await createService(agent, readConfig(env, agent), sink)
  const { port, drain } = await listen(service, { port: 0, hostname: '127.0.0.1' })
  onTestFinished(() => drain(1_000))
  return { url: `http://127.0.0.1:${port}`, log: { name: 'the log of the test', read: async () => text } }
}
