import { ScriptedModel } from '@agent-task-service/engine/testing'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listed, text } from '@agent-task-service/test-support/mcp/peer'
import { mcpService } from '@agent-task-service/test-support/mcp/service'
import { expect, test } from 'vitest'

const PAY = { toolCalls: [{ name: 'bank__pay', args: { a: 1 } }] }

// EVIDENCE-OF docs/guides/mcp.md: A tool that does says so by the annotation `idempotencyKeyHint: true`, and is called again
//   with its key where nobody knows how a call ended.
test('a tool that honours keys is called again with its key', async () => {
  const keys: unknown[] = []
  const annotations = { readOnlyHint: false, idempotencyKeyHint: true }
  const bank = await httpPeer({
    list: () => ({ tools: [{ ...listed('pay'), annotations }] }),
    call: async (_name, _args, meta) => {
      keys.push((meta as Record<string, unknown>)['agent-task-service/idempotency-key'])
      if (keys.length === 1) throw Object.assign(new Error('the bank is in trouble.'), { code: -32603 })
      return text('paid')
    },
  })
  const model = new ScriptedModel([PAY, PAY, ({ messages }) => messages.at(-1)!.text])
  const { run } = await mcpService({ bank: { url: bank.url } }, {}, { models: [model.named()] })
  expect(await run('Pay')).toMatchObject({ status: 'success', output: 'paid' })
  expect(keys).toEqual([keys[0], keys[0]])
})

// EVIDENCE-OF docs/reference/fleet.md: If a tool that declares its side effects ends in a way that tells nobody whether it
//   had them (a broken connection, HTTP 500, a time limit; of an MCP server any JSON-RPC error but `-32700`, `-32600`,
//   `-32601` and `-32602`), the model reads so.
test.each([
  [-32603, 'unknown', 1],
  [-32001, 'unknown', 1],
  [-32000, 'unknown', 1],
  [402, 'unknown', 1],
  [-32602, 'a refusal', 2],
  [-32601, 'a refusal', 2],
])(
  'an MCP server that pays and answers %i: it is %s, so the call is made %i times',
  async (code, _is, times) => {
    const keys: unknown[] = []
    const bank = await httpPeer({
      list: () => ({ tools: [{ ...listed('pay'), annotations: { readOnlyHint: false } }] }),
      call: async (_name, _args, meta) => {
        keys.push((meta as Record<string, unknown>)['agent-task-service/idempotency-key'])
        throw Object.assign(new Error('the bank is in trouble.'), { code })
      },
    })
    const model = new ScriptedModel([PAY, PAY, ({ messages }) => messages.at(-1)!.text])
    const { post, lines } = await mcpService({ bank: { url: bank.url } }, {}, { models: [model.named()] })
    const reply = await post({ task_id: 'test-1', input: 'Pay' })
    expect(await reply.json()).toMatchObject({ status: 'success' })
    expect(new Set(keys).size).toBe(times)
    expect(keys).toHaveLength(times)
    expect(reply.headers.get('effect-unknown') === null).toBe(times === 2)
    expect(lines.filter(({ msg }) => String(msg).startsWith('effect unknown'))).toHaveLength(2 - times)
  },
)

// EVIDENCE-OF docs/guides/mcp.md: | refuses a call by HTTP 401, 403, 404, 405, 413, 415 or 429, or cannot be reached |
test.each([401, 403, 404, 405, 413, 415, 429, 500])(
  'a call that a server refuses by HTTP %i',
  async status => {
    const bank = await httpPeer({
      list: () => ({ tools: [{ ...listed('pay'), annotations: { readOnlyHint: false } }] }),
    })
    const model = new ScriptedModel([PAY, ({ messages }) => messages.at(-1)!.text])
    const { post } = await mcpService({ bank: { url: bank.url } }, {}, { models: [model.named()] })
    bank.refuse(status)
    const reply = await post({ task_id: 'test-1', input: 'Pay' })
    const { output } = (await reply.json()) as { readonly output: string }
    const isKnown = status !== 500
    expect(output).toContain(isKnown ? 'the MCP server bank did not take the call' : 'Nobody knows')
    expect(reply.headers.has('effect-unknown')).toBe(!isKnown)
  },
)
