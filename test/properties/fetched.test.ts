import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { boundedFetch } from '../../tools/mcp/transport.ts'
import { holds, splits, streamOf } from './holds.ts'

const MAX_MCP_BYTES = 10 * 2 ** 20
const encode = (text: string) => new TextEncoder().encode(text)
/** With characters of one to four bytes. */
const text = fc.string({
  unit: fc.constantFrom('a', 'é', '€', '😀', '"', '\\', '\r\n', '\u2028'),
  maxLength: 30,
})

afterEach(() => void vi.unstubAllGlobals())

/** The largest allowed size, give or take a few bytes. */
const around = (limit: number) => fc.integer({ min: limit - 2, max: limit + 2 })

test("an MCP server's reply passes unchanged in any pieces, and any cut of a large one is too large", async () => {
  const read = async (pieces: readonly Uint8Array[]) => {
    const headers = { 'mcp-session-id': 'one' }
    vi.stubGlobal('fetch', async () => new Response(streamOf(pieces), { status: 202, headers }))
    const response = await boundedFetch('http://mcp.example')
    expect([response.status, response.headers.get('mcp-session-id')]).toEqual([202, 'one'])
    return Buffer.from(await response.arrayBuffer())
  }
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 60 }), text.map(encode))
  await holds(
    70,
    fc.asyncProperty(splits(bytes), async pieces => {
      expect(await read(pieces)).toEqual(Buffer.concat(pieces))
    }),
  )
  const large = around(MAX_MCP_BYTES).map(length => new Uint8Array(length))
  await holds(
    3,
    fc.asyncProperty(splits(large), async pieces => {
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
      if (length <= MAX_MCP_BYTES) expect((await read(pieces)).length).toBe(length)
      else await expect(read(pieces)).rejects.toThrow('larger than')
    }),
  )
})
