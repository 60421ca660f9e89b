import { some } from '@agent-task-service/test-support/at-length'
import { type Flooding, floodingPeer } from '@agent-task-service/test-support/mcp/flooding-peer'
import { FLOODS } from '@agent-task-service/test-support/mcp/floods'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listed, text } from '@agent-task-service/test-support/mcp/peer'
import { program, started } from '@agent-task-service/test-support/mcp/started'
import { until } from '@agent-task-service/test-support/until'
import { expect, test } from 'vitest'

const kinds = Object.keys(FLOODS)

/** The messages of a flood. */
function* flood(kind: string, count = Number.POSITIVE_INFINITY): Iterable<string> {
  for (let id = 1; id <= count; id += 1) yield FLOODS[kind]!(id)
}

const TOO_MUCH = expect.stringMatching(/^it (sends|asks) too much$/)
const isLost = ({ type }: { readonly type: string }) => type === 'lost' || type === 'failed'

test.each(some([...kinds, 'one line'], 3))(
  'a program that writes %s without end loses its connection',
  async kind => {
    const honest = await httpPeer({})
    const { reports, call } = await started([
      program('one', [`--floods-with=${kind}`]),
      honest.settings('two'),
    ])
    await until(() => reports.some(isLost))
    expect(reports.find(isLost)).toMatchObject({ server: 'one', reason: TOO_MUCH })
    expect(await call('two__echo', { a: 1 })).toBe('{"a":1}')
  },
)

const overHttp = kinds.flatMap(kind => [
  { kind, where: 'after the list', flooding: (): Flooding => ({ afterList: flood(kind) }) },
  { kind, where: 'on the standing stream', flooding: (): Flooding => ({ onStream: flood(kind) }) },
])

test.each(some(overHttp, 3))(
  'a server that sends $kind $where without end loses its connection',
  async ({ flooding }) => {
    const honest = await httpPeer({})
    const peer = await floodingPeer(flooding())
    const { reports, call } = await started([{ ...peer.settings, name: 'one' }, honest.settings('two')])
    await until(() => reports.some(isLost))
    expect(reports.find(isLost)).toMatchObject({ server: 'one', reason: TOO_MUCH })
    expect(await call('two__echo', { a: 1 })).toBe('{"a":1}')
  },
)

test('a server that asks 1,000 things in a response gets some tens of answers, and loses its connection', async () => {
  const peer = await floodingPeer({ afterList: flood('pings', 1_000) })
  const { reports, close } = await started([peer.settings])
  expect(reports[0]).toMatchObject({ reason: 'it asks too much' })
  await close()
  expect(peer.answers()).toBeLessThan(100)
})

test('a server that asks 1,000 things in a response that is a list loses its connection', async () => {
  const inArray = Array.from({ length: 1_000 }, (_, id) => JSON.parse(FLOODS.pings!(id)))
  const peer = await floodingPeer({ inArray })
  const { reports } = await started([peer.settings])
  expect(reports[0]).toMatchObject({ type: 'failed', reason: 'it sends too much' })
})

test('a server may ask some things', async () => {
  const peer = await floodingPeer({ afterList: flood('pings', 30) })
  const { reports, names } = await started([peer.settings, program('one', ['--asks=30'])])
  // The answers, and the notification that it is connected.
  await until(() => peer.answers() === 31)
  expect(reports.filter(isLost)).toEqual([])
  expect(names()).toEqual(expect.arrayContaining(['two__echo', 'one__echo']))
})

test('a program that asks 200 things loses its connection', async () => {
  const { reports } = await started([program('one', ['--asks=200'])])
  await until(() => reports.some(isLost))
  expect(reports.find(isLost)).toMatchObject({ reason: 'it asks too much' })
})

test('a program that does not read loses its connection', async () => {
  const { reports, call } = await started([program('one', ['--deaf'])])
  const large = { text: 'x'.repeat(6 * 2 ** 20) }
  const calls = await Promise.allSettled([1, 2, 3].map(() => call('one__echo', large)))
  expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await until(() => reports.some(isLost))
  expect(reports.find(isLost)).toMatchObject({ reason: 'it does not read' })
})

test('a program may be sent several large calls at once', async () => {
  const { call, events } = await started([program('one')])
  const large = { text: 'x'.repeat(3 * 2 ** 20) }
  const results = await Promise.all([1, 2, 3].map(() => call('one__echo', large)))
  expect(results.map(({ length }) => length)).toEqual(Array(3).fill(JSON.stringify(large).length))
  expect(events).toEqual(['connected one 7'])
})

test('many messages while a call is in progress are none too many', async () => {
  const { call } = await started([program('one')])
  expect(await call('one__noise', { lines: 5_000 })).toBe('noisy')
})

test('a stream that ends again and again is not opened at once, whatever the server asks for', async () => {
  const peer = await floodingPeer({ onStream: ['retry: 0'] })
  await started([peer.settings])
  await until(() => peer.gets.length === 3)
  const [first, second, third] = peer.gets as [number, number, number]
  expect(Math.min(second - first, third - second)).toBeGreaterThan(900)
})

test('a result of two million empty lists fails the call; the server is available afterwards', async () => {
  const large = { content: [], structuredContent: { lists: Array(2_000_000).fill([]) } }
  const peer = await httpPeer({ call: (_name, args) => (args.large ? large : text('fine')) })
  const { call } = await started([peer.settings('two')])
  await expect(call('two__echo', { large: true })).rejects.toThrow(
    'no usable answer (a message is too large)',
  )
  expect(await call('two__echo')).toBe('fine')
})

test('of a result of 50,000 parts the model reads the first and the last', async () => {
  const content = Array.from({ length: 50_000 }, (_, n) => ({ type: 'text', text: `part ${n}` }))
  const peer = await httpPeer({ call: () => ({ content }) })
  const { call } = await started([peer.settings('two')])
  const read = await call('two__echo')
  expect(read).toMatch(/^part 0\npart 1\n/)
  expect(read).toContain('part 749\n[49000 parts, not shown]\npart 49750\n')
  expect(read).toMatch(/\npart 49999$/)
})

test('a list that keeps changing is read ever more seldom, and the tools that stay are the same', async () => {
  let reads = 0
  const readAt: number[] = []
  const peer = await httpPeer({
    list() {
      readAt.push(performance.now())
      return { tools: [listed('echo'), listed(`tool${++reads}`)] }
    },
  })
  const { tool, names } = await started([peer.settings('two')])
  const before = tool('two__echo')
  const changes = setInterval(() => peer.notify('notifications/tools/list_changed'), 20)
  try {
    await until(() => names().includes('two__tool4'))
  } finally {
    clearInterval(changes)
  }
  const rests = readAt.slice(1).map((at, index) => at - readAt[index]!)
  expect(rests[1]).toBeGreaterThan(900)
  expect(rests[2]).toBeGreaterThan(1_900)
  expect(tool('two__echo')).toBe(before)
})
