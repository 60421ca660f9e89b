import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { newHttpPeer } from '@agent-task-service/test-support/mcp/new-http-peer'
import { echo } from '@agent-task-service/test-support/mcp/new-server'
import { listed, type Message } from '@agent-task-service/test-support/mcp/peer'
import { newProgram, program, started } from '@agent-task-service/test-support/mcp/started'
import { until } from '@agent-task-service/test-support/until'
import { expect, onTestFinished, test } from 'vitest'

const named = (...names: string[]) => Object.fromEntries(names.map(name => [name, echo]))

test.each([
  ['the new protocol alone', []],
  ['both protocols', ['--both']],
])('a program of %s: calls, a list that changes, a death', async (_what, options) => {
  const { call, names, events } = await started([newProgram('one', options)])
  expect(await call('one__echo', { a: 1 })).toBe('{"a":1}')
  await call('one__grow')
  await until(() => names().includes('one__grown'))
  const before = await call('one__pid')
  await expect(call('one__exit')).rejects.toThrow('MCP server one gave no usable answer (connection closed)')
  await until(() => events.length === 4 && names().length > 0)
  expect(events).toEqual(['connected one 5', 'changed one 6', 'lost one', 'connected one 5'])
  expect(await call('one__pid')).not.toBe(before)
})

test.each([true, false])('each call has a key of its own in its metadata (new protocol: %s)', async isNew => {
  const metas: unknown[] = []
  const onMessage = ({ method, params }: Message) => {
    if (method === 'tools/call') metas.push(params?._meta)
  }
  const peer = await httpPeer({ isNew, onMessage })
  const { call } = await started([peer.settings('two')])
  for (const _time of [1, 2]) await call('two__echo', { a: 1 })
  const keys = metas.map(meta => (meta as Record<string, string>)['agent-task-service/idempotency-key'])
  expect(keys).toEqual([expect.stringMatching(/^[\w-]{1,45}$/), expect.stringMatching(/^[\w-]{1,45}$/)])
  expect(keys[0]).not.toBe(keys[1])
})

test('a server of the new protocol over HTTP: calls, a list that changes, an absence', async () => {
  let tools = named('old')
  const peer = await newHttpPeer(() => tools)
  const { call, names, events } = await started([peer.settings('two')])
  expect(await call('two__old', { a: 1 })).toBe('{"a":1}')
  tools = named('new', 'newer')
  peer.notify.toolsChanged()
  await until(() => names().includes('two__new'))
  expect(events).toEqual(['connected two 1', 'changed two 2'])
  await peer.close()
  await until(() => names().length === 0)
  expect(events).toContain('lost two')
  await newHttpPeer(() => tools, peer.port)
  await until(() => names().includes('two__new'))
})

test('what changes while the stream of changes is cut is seen, and what does not change is not reported', async () => {
  let tools = named('old')
  const peer = await newHttpPeer(() => tools)
  const { names, events } = await started([peer.settings('two')])
  const streams = () =>
    peer.requests.filter(({ headers }) => headers.get('mcp-method') === 'subscriptions/listen')
  const lists = () => peer.requests.filter(({ headers }) => headers.get('mcp-method') === 'tools/list')
  peer.cut()
  await until(() => lists().length === 2)
  tools = named('new')
  peer.cut()
  await until(() => names().includes('two__new'))
  expect(events).toEqual(['connected two 1', 'changed two 1'])
  expect(streams()).toHaveLength(3)
  tools = named('newer')
  peer.notify.toolsChanged()
  await until(() => names().includes('two__newer'))
})

test('an argument that the schema names for a header is sent in it too', async () => {
  const peer = await newHttpPeer(() => named('echo'))
  const { call } = await started([peer.settings('two')])
  expect(await call('two__echo', { region: 'eu' })).toBe('{"region":"eu"}')
  expect(peer.requests.at(-1)?.headers.get('mcp-param-region')).toBe('eu')
})

test('an abandoned call ends its request', async () => {
  const asked = Promise.withResolvers<void>()
  const hang = () => {
    asked.resolve()
    return new Promise(() => {})
  }
  const peer = await newHttpPeer(() => ({ hang, echo }))
  const { call, events } = await started([peer.settings('two'), newProgram('one')])
  for (const name of ['two__hang', 'one__hang']) {
    const controller = new AbortController()
    const hanging = call(name, {}, controller.signal)
    if (name === 'two__hang') await asked.promise
    controller.abort(new Error('given up'))
    await expect(hanging).rejects.toThrow('given up')
  }
  await until(() => peer.requests.some(({ signal }) => signal.aborted))
  expect(await call('two__echo')).toBe('{}')
  expect(await call('one__echo')).toBe('{}')
  expect(events).toHaveLength(2)
})

test('one bad tool does not cost the list in the new protocol either', async () => {
  const tools = [
    listed('bad', { type: 'strng' }),
    null,
    { ...listed('worded'), description: 7 },
    listed('good'),
  ]
  const peer = await httpPeer({ isNew: true, list: () => ({ tools }) })
  const { names, reports, call } = await started([peer.settings('two')])
  expect(names()).toEqual(['two__good'])
  expect(reports[0]).toMatchObject({ type: 'connected', refused: { length: 3 } })
  expect(await call('two__good', { a: 1 })).toBe('{"a":1}')
})

test('a tool that asks back gets no answer, and the model reads so', async () => {
  const inputRequests = {
    name: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } },
  }
  const result = { resultType: 'input_required', inputRequests }
  const peer = await httpPeer({ isNew: true, call: () => result })
  const { call } = await started([peer.settings('two')])
  await expect(call('two__echo')).rejects.toThrow('no usable answer (CAPABILITY_NOT_SUPPORTED)')
})

test('a program of the old protocol may exit when asked for the new one', async () => {
  const { events, call } = await started([program('one', ['--strict'])])
  expect(events).toEqual(['connected one 7'])
  expect(await call('one__echo')).toBe('{}')
})

/** The address of a server, which closes after the test. */
async function listening(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** What is reported of a server that answers every request so. */
async function reportOf(status: number, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const url = await listening(
    createServer((_request, response) => response.writeHead(status, headers).end(JSON.stringify(body))),
  )
  const { reports } = await started([{ transport: 'http', name: 'two', url, headers: {} }])
  return reports[0]
}

const later = { supported: ['2027-01-01', 'hunter2'], requested: '2026-07-28' }
const refusal = (data: unknown, code = -32022) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message: 'hunter2 is no key', data },
})

test.each([
  [400, {}, 'HTTP status 400'],
  [401, {}, 'HTTP status 401'],
  [404, {}, 'HTTP status 404'],
  [503, {}, 'HTTP status 503'],
  [400, refusal({}), 'HTTP status 400'],
  [400, refusal(later), 'MCP error -32022: the server speaks MCP 2027-01-01'],
  [400, refusal(later, -32000), 'HTTP status 400: the server speaks MCP 2027-01-01'],
  [404, refusal({ supported: 'hunter2' }), 'HTTP status 404'],
])('refused with %s and %o: the reason is in our own words', async (status, body, reason) => {
  expect(await reportOf(status, body)).toEqual({ type: 'failed', server: 'two', reason, isRepeated: false })
})

test('a redirect to another host is not followed', async () => {
  const other = await httpPeer({})
  const first = createServer((_request, response) => response.writeHead(307, { location: other.url }).end())
  const url = await listening(first)
  const headers = { authorization: 'Bearer abc' }
  const { reports } = await started([{ transport: 'http', name: 'two', url, headers }])
  expect(reports[0]).toMatchObject({ type: 'failed', reason: 'HTTP status 307' })
  expect(other.headers).toEqual([])
})

test('a server of neither protocol that never answers is late, and closing does not wait for it', async () => {
  const url = await listening(createServer(() => {}))
  const settings = { transport: 'http', name: 'two', url, headers: {} } as const
  const { events, close } = await started([settings], { startTimeoutMs: 1 })
  await close()
  expect(events).toEqual(['late two'])
})
