import { expect, test } from 'vitest'
import { floodingPeer } from '../support/mcp/flooding-peer.ts'
import { FLOODS } from '../support/mcp/floods.ts'
import { mcpFile } from '../support/mcp/service.ts'
import { program } from '../support/mcp/started.ts'
import { asks, call, says } from '../support/openai-replies.ts'
import { openAIServer } from '../support/openai-server.ts'
import { startProcess } from '../support/process.ts'

/** What Node takes by itself in a container of 512 MiB. */
const NODE = ['--max-old-space-size=256']
/** Runs made beside each server; it connects and floods again several times meanwhile. */
const RUNS = 10

function* flood(kind: string): Iterable<string> {
  for (let id = 1; ; id += 1) yield FLOODS[kind]!(id)
}

const programs = [...Object.keys(FLOODS), 'one line'].map(kind => ({
  kind: `a program with ${kind}`,
  async settings() {
    const { command, args } = program('one', [`--floods-with=${kind}`])
    return { command, args }
  },
}))
const servers = Object.keys(FLOODS).flatMap(kind => [
  {
    kind: `a server with ${kind} after its list`,
    settings: async () => ({ url: (await floodingPeer({ afterList: flood(kind) })).settings.url }),
  },
  {
    kind: `a server with ${kind} on the standing stream`,
    settings: async () => ({ url: (await floodingPeer({ onStream: flood(kind) })).settings.url }),
  },
])

test.each([...programs, ...servers])('$kind: runs and health checks are answered', async ({ settings }) => {
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
})
