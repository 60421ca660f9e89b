import { some } from '@agent-task-service/test-support/at-length'
import { type Flooding, floodingPeer } from '@agent-task-service/test-support/mcp/flooding-peer'
import { FLOODS } from '@agent-task-service/test-support/mcp/floods'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { text } from '@agent-task-service/test-support/mcp/peer'
import { mcpTools } from '@agent-task-service/test-support/mcp/service'
import { until } from '@agent-task-service/test-support/until'
import { expect, test } from 'vitest'

/** The messages of a flood. */
function* flood(kind: string, count = Number.POSITIVE_INFINITY): Iterable<string> {
  for (let id = 1; id <= count; id += 1) yield FLOODS[kind]!(id)
}

const overHttp = Object.keys(FLOODS).flatMap(kind => [
  { kind, where: 'after the list', flooding: (): Flooding => ({ afterList: flood(kind) }) },
  { kind, where: 'on the standing stream', flooding: (): Flooding => ({ onStream: flood(kind) }) },
])

// EVIDENCE-OF docs/reference/threat-model.md: What it sends is counted before it is parsed, and a flood ends its connection
test.each(some(overHttp, 3))(
  'a server that sends $kind $where without end loses its connection',
  async ({ flooding }) => {
    const [peer, honest] = [await floodingPeer(flooding()), await httpPeer()]
    const { lines, call } = await mcpTools({ one: { url: peer.url }, two: { url: honest.url } })
    const loss = () => lines.find(({ msg }) => /^mcp server (lost|failed)$/.test(String(msg)))
    await until(() => loss() !== undefined)
    expect(loss()).toMatchObject({
      server: 'one',
      reason: expect.stringMatching(/^it (sends|asks) too much$/),
    })
    expect(await call('two__echo', { a: 1 })).toBe('{"a":1}')
  },
)

// EVIDENCE-OF docs/guides/mcp.md: | answers with interim replies (HTTP 1xx), more than eight before a response |
test.each(['GET', 'POST'] as const)(
  'a server that answers a %s with interim replies without end loses the connection',
  async interim => {
    const [peer, honest] = [await floodingPeer({ interim }), await httpPeer()]
    const { call, events } = await mcpTools({ one: { url: peer.url }, two: { url: honest.url } })
    await until(() => peer.endedInterim() > 0)
    expect(events()).toContain(interim === 'GET' ? 'connected one 1' : 'failed one')
    expect(await call('two__echo', { a: 1 })).toBe('{"a":1}')
  },
)

test('a server that asks 1,000 things in a response gets some tens of answers, and loses its connection', async () => {
  const peer = await floodingPeer({ afterList: flood('pings', 1_000) })
  const { lines, close } = await mcpTools({ two: { url: peer.url } })
  expect(lines[0]).toMatchObject({ reason: 'it asks too much' })
  await close()
  expect(peer.answers()).toBeLessThan(100)
})

test('a server that asks 1,000 things in a response that is a list loses its connection', async () => {
  const inArray = Array.from({ length: 1_000 }, (_, id) => JSON.parse(FLOODS.pings!(id)))
  const peer = await floodingPeer({ inArray })
  const { lines } = await mcpTools({ two: { url: peer.url } })
  expect(lines[0]).toMatchObject({ msg: 'mcp server failed', reason: 'it sends too much' })
})

test('a server may ask some things', async () => {
  const peer = await floodingPeer({ afterList: flood('pings', 30) })
  const { events, names } = await mcpTools({ two: { url: peer.url } })
  // The answers, and the notification that it is connected.
  await until(() => peer.answers() === 31)
  expect(events()).toEqual(['connected two 1'])
  expect(await names()).toEqual(['two__echo'])
})

test('a result of two million empty lists fails the call; the server is available afterwards', async () => {
  const large = { content: [], structuredContent: { lists: Array(2_000_000).fill([]) } }
  const peer = await httpPeer({ call: (_name, args) => (args.large ? large : text('fine')) })
  const { call } = await mcpTools({ two: { url: peer.url } })
  expect(await call('two__echo', { large: true })).toContain('no usable answer (a message is too large)')
  expect(await call('two__echo')).toBe('fine')
})

test('of a result of 50,000 parts the model reads the first and the last', async () => {
  const content = Array.from({ length: 50_000 }, (_, n) => ({ type: 'text', text: `part ${n}` }))
  const peer = await httpPeer({ call: () => ({ content }) })
  const { call } = await mcpTools({ two: { url: peer.url } })
  const read = await call('two__echo')
  expect(read).toMatch(/^part 0\npart 1\n/)
  expect(read).toContain('part 749\n[49000 parts, not shown]\npart 49750\n')
  expect(read).toMatch(/\npart 49999$/)
})
