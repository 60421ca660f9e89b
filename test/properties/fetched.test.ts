import { EventEmitter, once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import { boundedFetch } from '../../tools/mcp/transport.ts'
import { createEndpoint } from '../../tools/web-search/endpoint.ts'
import { fetchJson, MAX_REPLY_BYTES } from '../../tools/web-search/fetch-json.ts'
import { fetchPage } from '../../tools/web-search/fetch-page.ts'
import { holds, splits, streamOf } from './holds.ts'

const MAX_MCP_BYTES = 10 * 2 ** 20
const encode = (text: string) => new TextEncoder().encode(text)
/** With characters of one to four bytes. */
const text = fc.string({
  unit: fc.constantFrom('a', 'é', '€', '😀', '"', '\\', '\r\n', '\u2028'),
  maxLength: 30,
})
const { signal } = new AbortController()

afterEach(() => void vi.unstubAllGlobals())

/** The largest allowed size, give or take a few bytes. */
const around = (limit: number) => fc.integer({ min: limit - 2, max: limit + 2 })

test("a search engine's reply reads the same in any pieces, and any cut of a large one is too large", async () => {
  const endpoint = createEndpoint({ url: 'http://engine.example' })
  const request = { endpoint, address: endpoint.address('/search'), schema: z.unknown() }
  const read = (pieces: readonly Uint8Array[]) => {
    const response = Object.assign(Readable.from(pieces), { statusCode: 200, headers: {} })
    const sent = Object.assign(new EventEmitter(), {
      end: () => setImmediate(() => sent.emit('response', response)),
    })
    vi.spyOn(http, 'request').mockReturnValueOnce(sent as never)
    return fetchJson(request, signal)
  }
  const json = fc.jsonValue().map(value => encode(JSON.stringify(value)))
  const worded = text.map(said => encode(JSON.stringify({ said })))
  await holds(
    70,
    fc.asyncProperty(splits(fc.oneof(json, worded)), async pieces => {
      expect(await read(pieces)).toEqual(JSON.parse(String(Buffer.concat(pieces))))
    }),
  )
  const large = around(MAX_REPLY_BYTES).map(length => encode('{"results":[]}'.padEnd(length)))
  await holds(
    3,
    fc.asyncProperty(splits(large), async pieces => {
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
      if (length <= MAX_REPLY_BYTES) expect(await read(pieces)).toEqual({ results: [] })
      else await expect(read(pieces)).rejects.toThrow('more than 4 MB')
    }),
  )
})

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

const encodings: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  identity: bytes => bytes,
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
}
const CRLF = '\r\n'

/** Ways in which HTTP marks the end of a body. */
const framings: Record<string, (body: Uint8Array) => readonly [header: string, body: Uint8Array]> = {
  length: body => [`content-length: ${body.length}`, body],
  chunks: body => {
    const size = encode(`${body.length.toString(16)}${CRLF}`)
    const end = encode(body.length === 0 ? CRLF : `${CRLF}0${CRLF}${CRLF}`)
    return ['transfer-encoding: chunked', Buffer.concat([size, body, end])]
  },
  close: body => ['connection: close', body],
}

test('a page reads the same in any pieces, however compressed and wherever its headers are cut', async () => {
  let pieces: readonly Uint8Array[] = []
  const server = createServer({ noDelay: true }, async socket => {
    socket.on('error', () => undefined)
    await once(socket, 'data')
    for (const piece of pieces) {
      socket.write(piece)
      await new Promise(resolve => setImmediate(resolve))
    }
    socket.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const rules = { ports: [port], privateHosts: ['127.0.0.1'], userAgent: 'tests' }
  const cases = fc
    .record({
      page: text.map(encode),
      encoding: fc.constantFrom(...Object.keys(encodings)),
      framing: fc.constantFrom(...Object.keys(framings)),
    })
    .chain(({ page, encoding, framing }) => {
      const [header, body] = framings[framing]!(encodings[encoding]!(page))
      const head = [
        'HTTP/1.1 200 OK',
        'Content-Type: text/plain; Charset="UTF-8"',
        `content-encoding: ${encoding}`,
      ]
      const whole = Buffer.concat([encode([...head, header, '', ''].join(CRLF)), body])
      return fc.tuple(fc.constant(page), splits(fc.constant(new Uint8Array(whole))))
    })
  await holds(
    30,
    fc.asyncProperty(cases, async ([page, sent]) => {
      pieces = sent.filter(({ length }) => length > 0)
      const content = await fetchPage(`http://127.0.0.1:${port}/`, rules, signal)
      expect(content).toEqual({ type: 'text/plain', charset: 'utf-8', bytes: page })
    }),
  )
})
