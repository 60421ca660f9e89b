import { afterEach, expect, test, vi } from 'vitest'
import { boundedFetch } from '../bounded-fetch.ts'
import { Inflow, REPLY_COST } from '../inflow.ts'
import { Incoming } from '../normalize-message.ts'

const MAX_MCP_BYTES = 10 * 2 ** 20

afterEach(() => void vi.unstubAllGlobals())

/** An MCP server's reply in these pieces, as a client reads it. */
async function read(...pieces: readonly Uint8Array[]) {
  const headers = { 'mcp-session-id': 'one' }
  const body = ReadableStream.from(pieces) as ReadableStream<Uint8Array>
  vi.stubGlobal('fetch', async () => new Response(body, { status: 202, headers }))
  const inflow = new Inflow(() => {})
  return await inflow.during(REPLY_COST.call, async () => {
    const response = await boundedFetch(inflow, new Incoming(inflow))('http://mcp.example')
    expect([response.status, response.headers.get('mcp-session-id')]).toEqual([202, 'one'])
    return Buffer.from(await response.arrayBuffer())
  })
}

test('passes the pieces of a reply on unchanged, up to a size, whatever the last piece holds', async () => {
  const [half, rest] = [new Uint8Array(MAX_MCP_BYTES - 3).fill(7), new TextEncoder().encode('€')]
  expect((await read(half, rest)).equals(Buffer.concat([half, rest]))).toBe(true)
  for (const more of [[rest, rest.subarray(2)], [new Uint8Array(4)]])
    await expect(read(half, ...more)).rejects.toThrow('a message is too large')
})
