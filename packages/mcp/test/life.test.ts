import { testService as serviceOf } from '@agent-task-service/engine/testing'
import { agent } from '@agent-task-service/test-support/agent/test-agent'
import { type FakeTime, fakeTime } from '@agent-task-service/test-support/fake-time'
import { floodingPeer } from '@agent-task-service/test-support/mcp/flooding-peer'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { echo } from '@agent-task-service/test-support/mcp/new-server'
import { listed } from '@agent-task-service/test-support/mcp/peer'
import { mcpFile, mcpService, mcpTools, startingTools } from '@agent-task-service/test-support/mcp/service'
import { asks, call, says, toolTexts } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { OWN_TOOLS } from '@agent-task-service/test-support/own-tools'
import { until } from '@agent-task-service/test-support/until'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { reconnectInTurn } from '../transport.ts'
import { newHttpPeer } from './new-http-peer.ts'

let time: FakeTime
beforeEach(() => {
  time = fakeTime()
})
const passes = (isSo: () => boolean) => time.until(until(isSo))

const USE = 'Use two__echo with {"a": 1}'
const AWAY = 'the MCP server two is away. It may be back soon: call the tool again later'
const two = { enabled_tools: ['two__echo'] }
const CHANGED = 'notifications/tools/list_changed'
const named = (...names: string[]) => Object.fromEntries(names.map(name => [name, echo]))

// EVIDENCE-OF docs/reference/threat-model.md: List only servers that you trust
test('enabled_tools follows the servers that come and go', async () => {
  const [peer, other] = [await httpPeer(), await httpPeer()]
  const { run, lines } = await mcpService({ two: { url: peer.url }, other: { url: other.url } })
  expect(await run(USE, two)).toMatchObject({ status: 'success', output: '{"a":1}' })
  peer.goAway()
  await passes(() => lines.some(({ msg }) => msg === 'mcp server lost'))
  // A request that names the tool may try, and reads why in vain; to others it is not offered.
  expect(await run(USE, two)).toMatchObject({ status: 'error', error: expect.stringContaining(AWAY) })
  expect(await run(USE)).toMatchObject({ error: expect.stringContaining('needs the tool two__echo') })
  expect(await run('Use other__echo with {}')).toMatchObject({ status: 'success', output: '{}' })
  peer.comeBack()
  const connected = () =>
    lines.filter(({ msg, server }) => msg === 'mcp server connected' && server === 'two')
  await passes(() => connected().length === 2)
  expect(await run(USE, two)).toMatchObject({ status: 'success', output: '{"a":1}' })
  expect(connected()[1]).toMatchObject({ level: 'info', server: 'two', tools: 1 })
})

test('a tool that its server has no longer when it is back is unknown from then on', async () => {
  let tools = [listed('echo')]
  const peer = await httpPeer({ list: () => ({ tools }) })
  const { run, lines } = await mcpService({ two: { url: peer.url } })
  peer.goAway()
  await passes(() => lines.some(({ msg }) => msg === 'mcp server lost'))
  tools = [listed('other')]
  peer.comeBack()
  await passes(() => lines.filter(({ msg }) => msg === 'mcp server connected').length === 2)
  expect(await run(USE, two)).toMatchObject({
    status: 'error',
    error: expect.stringContaining(
      `expected one of ${OWN_TOOLS.join(', ')}, two__other, got the string "two__echo"`,
    ),
  })
})

test('a model that calls a tool whose server has just gone reads that it is away', async () => {
  const peer = await httpPeer()
  const lost = Promise.withResolvers<void>()
  const model = await openAIServer(async (_request, index) => {
    if (index > 0) return says('Done.')
    peer.goAway()
    await lost.promise
    return asks([call('two__echo', { a: 1 })])
  })
  const { run, lines } = await mcpService({ two: { url: peer.url } }, model.env)
  const reply = run('Go on')
  await passes(() => lines.some(({ msg }) => msg === 'mcp server lost'))
  lost.resolve()
  expect(await reply).toMatchObject({ status: 'success', output: 'Done.' })
  expect(toolTexts(model.requests[1]!)).toEqual([expect.stringContaining(`Error: ${AWAY}`)])
})

test('offers a server that is away at start once it is there, and tells a failure that repeats only to debug', async () => {
  const peer = await httpPeer()
  peer.goAway()
  const { lines, events, call } = await mcpTools({ two: { url: peer.url } })
  await passes(() => events().length > 1)
  expect(events()).toEqual(['failed two', 'failed two'])
  expect(lines.map(({ level }) => level)).toEqual(['warn', 'debug'])
  peer.comeBack()
  await passes(() => events().includes('connected two 1'))
  expect(await call('two__echo')).toBe('{}')
})

// EVIDENCE-OF docs/reference/threat-model.md: List only servers that you trust
test('a slow server does not delay the start, and is offered when it is ready', async () => {
  const ready = Promise.withResolvers<void>()
  const peer = await httpPeer({
    async list() {
      await ready.promise
      return { tools: [listed('echo')] }
    },
  })
  const { events, names } = await time.until(startingTools({ two: { url: peer.url } }))
  expect(events()).toEqual(['not ready two'])
  ready.resolve()
  await passes(() => events().includes('connected two 1'))
  expect(await names()).toEqual(['two__echo'])
})

test('offers changed tools as they are now', async () => {
  let tools = [listed('old')]
  const peer = await httpPeer({ list: () => ({ tools }) })
  const { names, events } = await mcpTools({ two: { url: peer.url } })
  tools = [listed('new'), listed('newer')]
  peer.notify(CHANGED)
  await passes(() => events().length > 1)
  expect(await names()).toEqual(['two__new', 'two__newer'])
  expect(events()).toEqual(['connected two 1', 'changed two 2'])
})

test('offers the tools that mcp.json lists, and says which others there are and which names fit none', async () => {
  const tools = ['read', 'read_all', 'write', 'list.v2', 'relist'].map(name => listed(name))
  const peer = await httpPeer({ list: () => ({ tools }) })
  const listedTools = ['read*', 'l*t*2', 'write_', '*ist', 'remove']
  const { names, lines } = await mcpTools({ two: { url: peer.url, tools: listedTools } })
  expect(await names()).toEqual(['two__read', 'two__read_all', 'two__list_v2', 'two__relist'])
  expect(lines.find(({ msg }) => msg === 'mcp server connected')).toMatchObject({
    level: 'warn',
    tools: 4,
    unlisted_tools: ['write'],
    unknown_tools: ['write_', 'remove'],
  })
})

test('reads a list that never stops changing', async () => {
  let tools = [listed('old')]
  const peer = await httpPeer({ list: () => ({ tools }) })
  const { names, events } = await mcpTools({ two: { url: peer.url } })
  tools = [listed('new')]
  const changes = setInterval(() => peer.notify(CHANGED), 100)
  onTestFinished(() => clearInterval(changes))
  await passes(() => events().includes('changed two 1'))
  expect(await names()).toEqual(['two__new'])
})

test('a list that keeps changing is read ever more seldom, and the tools that stay are the same', async () => {
  const readAt: number[] = []
  const peer = await httpPeer({
    list: () => ({ tools: [listed('echo'), listed(`tool${readAt.push(performance.now())}`)] }),
  })
  let tools: readonly { readonly name: string }[] = []
  const definition: typeof agent = {
    ...agent,
    graph(parts) {
      tools = parts.tools
      return agent.graph(parts, {})
    },
  }
  const MCP_CONFIG = await mcpFile({ two: { url: peer.url } })
  const service = await serviceOf(definition, { env: { MCP_CONFIG }, tools: [] })
  onTestFinished(() => service.close())
  const tool = (name: string) => tools.find(tool => tool.name === name)
  const before = tool('two__echo')
  const changes = setInterval(() => peer.notify(CHANGED), 20)
  onTestFinished(() => clearInterval(changes))
  await passes(() => tool('two__tool4') !== undefined)
  const rests = readAt.slice(1).map((at, index) => at - readAt[index]!)
  expect(rests[1]).toBeGreaterThan(900)
  expect(rests[2]).toBeGreaterThan(1_900)
  expect(before).toBeDefined()
  expect(tool('two__echo')).toBe(before)
})

// EVIDENCE-OF docs/guides/mcp.md: | ends a stream |
test('a stream that ends again and again is not opened at once again and again, whatever the server asks for', async () => {
  const peer = await floodingPeer({ onStream: ['retry: 0'] })
  await mcpTools({ two: { url: peer.url } })
  await passes(() => peer.gets.length === 4)
  const rests = peer.gets.slice(1).map((at, index) => at - peer.gets[index]!)
  expect(Math.min(...rests.slice(1))).toBeGreaterThanOrEqual(900)
})

test.each([
  [
    [0, 0, 0],
    [0, 1_000, 2_000],
  ],
  [
    [500, 500],
    [500, 1_500],
  ],
  [
    [3_000, 0],
    [3_000, 2_000],
  ],
  [[90_000], [60_000]],
])('streams for which a server asks %j ms are opened again after %j ms', async (asked, expected) => {
  const reconnects = reconnectInTurn()
  const [openedAt, now]: [number[], number] = [[], performance.now()]
  for (const [nth, ms] of asked.entries())
    reconnects(() => {
      openedAt[nth] = performance.now() - now
    }, ms)
  await time.pass(60_000)
  expect(openedAt).toEqual(expected)
})

test('does not wait for a server to end a session that is lost', async () => {
  let tools: unknown = [listed('echo')]
  const peer = await httpPeer({ neverEnds: true, list: () => ({ tools }) })
  const { events, close } = await mcpTools({ two: { url: peer.url } })
  tools = 'none'
  peer.notify(CHANGED)
  await passes(() => events().includes('lost two'))
  tools = [listed('echo')]
  await passes(() => events().at(-1) === 'connected two 1')
  await time.until(close())
})

test('a server of neither protocol that never answers is late, and closing does not wait for it', async () => {
  const silent = await httpPeer({ isSilent: true })
  const { events, close } = await time.until(startingTools({ two: { url: silent.url } }))
  await time.until(close())
  expect(events()).toEqual(['not ready two'])
})

test('a server of the new protocol over HTTP: calls, a list that changes, an absence', async () => {
  let tools = named('old')
  const peer = await newHttpPeer(() => tools)
  const { call, names, events } = await mcpTools({ two: { url: peer.url } })
  expect(await call('two__old', { a: 1 })).toBe('{"a":1}')
  tools = named('new', 'newer')
  peer.notify.toolsChanged()
  await passes(() => events().length > 1)
  expect(await names()).toEqual(['two__new', 'two__newer'])
  peer.goAway()
  await passes(() => events().includes('lost two'))
  expect(await names()).toEqual([])
  peer.comeBack()
  await passes(() => events().at(-1) === 'connected two 2')
  expect(await names()).toEqual(['two__new', 'two__newer'])
})

test('what changes while the stream of changes is cut is seen, and what does not change is not reported', async () => {
  let tools = named('old')
  const peer = await newHttpPeer(() => tools)
  const { names, events } = await mcpTools({ two: { url: peer.url } })
  const requests = (method: string) =>
    peer.requests.filter(({ headers }) => headers.get('mcp-method') === method)
  peer.cut()
  await passes(() => requests('tools/list').length === 2)
  tools = named('new')
  peer.cut()
  await passes(() => events().length === 2)
  expect(await names()).toEqual(['two__new'])
  expect(events()).toEqual(['connected two 1', 'changed two 1'])
  expect(requests('subscriptions/listen')).toHaveLength(3)
  tools = named('newer')
  peer.notify.toolsChanged()
  await passes(() => events().length === 3)
  expect(await names()).toEqual(['two__newer'])
})
