import { some } from '@agent-task-service/test-support/at-length'
import { floodingPeer } from '@agent-task-service/test-support/mcp/flooding-peer'
import { FLOODS } from '@agent-task-service/test-support/mcp/floods'
import { program } from '@agent-task-service/test-support/mcp/programs'
import { mcpFile } from '@agent-task-service/test-support/mcp/service'
import { asks, call, says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { startProcess } from '@agent-task-service/test-support/process'
import { expect, test } from 'vitest'

/** What Node takes by itself in a container of 512 MiB. */
const NODE = ['--max-old-space-size=256']
/** Runs made beside each server; it connects and floods again several times meanwhile. */
const RUNS = 10

function* flood(kind: string): Iterable<string> {
  for (let id = 1; ; id += 1) yield FLOODS[kind]!(id)
}

const programs = [...Object.keys(FLOODS), 'one line'].map(kind => ({
  kind: `a program with ${kind}`,
  settings: async () => program(`--floods-with=${kind}`),
}))
const servers = Object.keys(FLOODS).flatMap(kind => [
  {
    kind: `a server with ${kind} after its list`,
    settings: async () => ({ url: (await floodingPeer({ afterList: flood(kind) })).url }),
  },
  {
    kind: `a server with ${kind} on the standing stream`,
    settings: async () => ({ url: (await floodingPeer({ onStream: flood(kind) })).url }),
  },
])

// EVIDENCE-OF docs/reference/threat-model.md: One hangs, lies, floods or dies
test.each(some([...programs, ...servers], 20))(
  '$kind: runs and health checks are answered',
  async ({ settings }) => {
    const model = await openAIServer(async ({ body: { messages } }) =>
      messages.some(({ role }) => role === 'tool')
        ? says('17 * 23 = 391')
        : asks([call('calculator', { expression: '17*23' })]),
    )
    const MCP_CONFIG = await mcpFile({ one: await settings() })
    const { url, post, line, child } = await startProcess({ ...model.env, MCP_CONFIG }, NODE)
    const outcomes: unknown[] = []
    for (let n = 0; n < RUNS; n += 1) {
      const reply = await post({ task_id: `test-${n}`, input: 'What is 17*23?' })
      const health = await fetch(`${url}/health`)
      await health.text()
      outcomes.push([health.status, ((await reply.json()) as { status: string }).status])
      await new Promise(resolve => setTimeout(resolve, 200))
    }
    await line(({ msg }) => msg === 'mcp server lost' || msg === 'mcp server failed')
    expect(outcomes).toEqual(outcomes.map(() => [200, 'success']))
    expect(child.exitCode).toBeNull()
  },
)
