import { ScriptedModel } from '@agent-task-service/engine/testing'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listed, text } from '@agent-task-service/test-support/mcp/peer'
import { mcpService } from '@agent-task-service/test-support/mcp/service'
import { until } from '@agent-task-service/test-support/until'
import { expect, test } from 'vitest'

/** A server whose calls begin and end with a line, of which those that are held end when the test says so. */
async function staged(name: string, trace: string[], held: Record<string, Promise<unknown>>) {
  const { url } = await httpPeer({
    list: () => ({
      tools: [listed('write'), { ...listed('read'), annotations: { readOnlyHint: true } }],
    }),
    call: async (tool, { id }) => {
      trace.push(`+${id}`)
      await held[String(id)]
      trace.push(`-${id}`)
      return text(`${name} ${tool} ${id}`)
    },
  })
  return { url }
}

// EVIDENCE-OF docs/guides/mcp.md: Calls of one server in one turn run in the model's order, one after another, but for tools with
//   `readOnlyHint: true`.
test('tools of one server that may change something have their turn; servers are side by side', async () => {
  const trace: string[] = []
  const gates = { w1: Promise.withResolvers<void>(), r1: Promise.withResolvers<void>() }
  const held = { w1: gates.w1.promise, r1: gates.r1.promise }
  // A name does not tell which server a tool is of.
  const servers = {
    notes: await staged('notes', trace, held),
    notes__read: await staged('more', trace, held),
  }
  const calls = [
    ['notes__write', 'w1'],
    ['notes__read', 'r1'],
    ['notes__read', 'r2'],
    ['notes__read__write', 'other'],
    ['notes__write', 'w2'],
  ] as const
  const model = new ScriptedModel([
    { toolCalls: calls.map(([name, id]) => ({ name, args: { id } })) },
    ({ messages }) => messages.map(({ text }) => text).join(' | '),
  ])
  const { run, lines } = await mcpService(servers, {}, { models: [model.named()] })
  await until(() => lines.filter(({ msg }) => msg === 'mcp server connected').length === 2)
  const reply = run('Go on')
  await until(() => trace.includes('-other'))
  expect(trace).not.toContain('+r1')
  gates.w1.resolve()
  await until(() => trace.includes('-r2'))
  expect(trace).not.toContain('+w2')
  gates.r1.resolve()
  expect(await reply).toMatchObject({
    status: 'success',
    output: expect.stringContaining(
      'notes write w1 | notes read r1 | notes read r2 | more write other | notes write w2',
    ),
  })
  const ofNotes = trace.filter(event => !event.includes('other'))
  expect(ofNotes.slice(0, 2)).toEqual(['+w1', '-w1'])
  expect(ofNotes.slice(-3)).toEqual(['-r1', '+w2', '-w2'])
})
