import { createServer } from 'node:http'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listening } from '@agent-task-service/test-support/mcp/listening'
import { echo } from '@agent-task-service/test-support/mcp/new-server'
import { listed, type Message } from '@agent-task-service/test-support/mcp/peer'
import { mcpTools } from '@agent-task-service/test-support/mcp/service'
import { until } from '@agent-task-service/test-support/until'
import { expect, test } from 'vitest'
import { newHttpPeer } from './new-http-peer.ts'

test.each([true, false])('each call has a key of its own in its metadata (new protocol: %s)', async isNew => {
  const metas: unknown[] = []
  const onMessage = ({ method, params }: Message) => {
    if (method === 'tools/call') metas.push(params?._meta)
  }
  const peer = await httpPeer({ isNew, onMessage })
  const { call } = await mcpTools({ two: { url: peer.url } })
  for (const _time of [1, 2]) await call('two__echo', { a: 1 })
  const keys = metas.map(meta => (meta as Record<string, string>)['agent-task-service/idempotency-key'])
  expect(keys).toEqual([expect.stringMatching(/^[\w-]{1,45}$/), expect.stringMatching(/^[\w-]{1,45}$/)])
  expect(keys[0]).not.toBe(keys[1])
})

test('an argument that the schema names for a header is sent in it too', async () => {
  const peer = await newHttpPeer(() => ({ echo }))
  const { call } = await mcpTools({ two: { url: peer.url } })
  expect(await call('two__echo', { region: 'eu' })).toBe('{"region":"eu"}')
  expect(peer.requests.at(-1)?.headers.get('mcp-param-region')).toBe('eu')
})

test('cancels an abandoned call in the old protocol, and ends its request in the new one', async () => {
  const methods: (string | undefined)[] = []
  const asked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const hang = (nth: 0 | 1) => {
    asked[nth].resolve()
    return new Promise(() => {})
  }
  const onMessage = ({ method }: Message) => void methods.push(method)
  const old = await httpPeer({
    onMessage,
    call: name => (name === 'hang' ? hang(0) : undefined),
    list: () => ({ tools: [listed('hang'), listed('echo')] }),
  })
  const recent = await newHttpPeer(() => ({ hang: () => hang(1), echo }))
  const { call, events } = await mcpTools({ old: { url: old.url }, recent: { url: recent.url } })
  for (const [nth, name] of ['old', 'recent'].entries()) {
    const hangUp = new AbortController()
    const hanging = call(`${name}__hang`, {}, hangUp.signal).catch(() => 'hung up')
    await asked[nth]!.promise
    hangUp.abort()
    await hanging
  }
  await until(() => methods.includes('notifications/cancelled'))
  await until(() => recent.requests.some(({ signal }) => signal.aborted))
  // The connections stay open.
  for (const name of ['old', 'recent']) expect(await call(`${name}__echo`)).toBe('{}')
  expect(events()).toHaveLength(2)
})

test('one bad tool does not cost the list in the new protocol either', async () => {
  const tools = [
    listed('bad', { type: 'strng' }),
    null,
    { ...listed('worded'), description: 7 },
    listed('good'),
  ]
  const peer = await httpPeer({ isNew: true, list: () => ({ tools }) })
  const { names, lines, call } = await mcpTools({ two: { url: peer.url } })
  expect(await names()).toEqual(['two__bad', 'two__worded', 'two__good'])
  expect(lines[0]).toMatchObject({ msg: 'mcp server connected', repaired: 1, refused: 1 })
  expect(await call('two__good', { a: 1 })).toBe('{"a":1}')
})

test('a tool that asks back gets no answer, and the model reads so', async () => {
  const inputRequests = {
    name: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: {} } },
  }
  const result = { resultType: 'input_required', inputRequests }
  const peer = await httpPeer({ isNew: true, call: () => result })
  const { call } = await mcpTools({ two: { url: peer.url } })
  expect(await call('two__echo')).toContain('no usable answer (CAPABILITY_NOT_SUPPORTED)')
})

const later = { supported: ['2027-01-01', 'hunter2'], requested: '2026-07-28' }
const refusal = (data: unknown, code = -32022) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message: 'hunter2 is no key', data },
})

const set = (scheme: string) => `set "Authorization": "${scheme} ..." in its "headers" in mcp.json`
const refusals: [status: number, body: object, reason: string, challenge?: string][] = [
  [400, {}, 'HTTP status 400'],
  [401, {}, `HTTP status 401: it does not say what it asks for: ${set('Bearer')}`],
  [
    401,
    {},
    `HTTP status 401: it asks for OAuth: ${set('Bearer')}`,
    'Bearer error="a, hunter2", resource_metadata="https://hunter2.example/x"',
  ],
  [401, {}, `HTTP status 401: it asks for Bearer: ${set('Bearer')}`, 'Bearer'],
  [
    403,
    {},
    `HTTP status 403: it asks for OAuth: ${set('Bearer')}`,
    'Bearer error="insufficient_scope", resource_metadata="x"',
  ],
  [
    401,
    {},
    `HTTP status 401: it asks for Basic, Negotiate, Digest: ${set('Basic')}`,
    'Basic realm = "a \\" hunter, hunter b", Negotiate hunter2==, Digest nonce=hunter2, hunter2, hunter2 a',
  ],
  [404, {}, 'HTTP status 404'],
  [503, {}, 'HTTP status 503'],
  [400, refusal({}), 'HTTP status 400'],
  [400, refusal(later), 'MCP error -32022: the server speaks MCP 2027-01-01'],
  [400, refusal(later, -32000), 'HTTP status 400: the server speaks MCP 2027-01-01'],
  [404, refusal({ supported: 'hunter2' }), 'HTTP status 404'],
]

/** A server that answers every request so. */
async function refusing(status: number, body: object, headers: Record<string, string> = {}) {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  const { url } = await listening(server)
  return { url, headers: { authorization: 'Bearer abc' } }
}

test('refused by a server: the reason is in our own words', async () => {
  const servers = await Promise.all(
    refusals.map(async ([status, body, , challenge]) => ({
      url: (await refusing(status, body, challenge === undefined ? {} : { 'www-authenticate': challenge }))
        .url,
    })),
  )
  const { lines } = await mcpTools(Object.fromEntries(servers.map((server, nth) => [`server${nth}`, server])))
  const told = refusals.map((_, nth) => lines.find(({ server }) => server === `server${nth}`))
  expect(told).toMatchObject(
    refusals.map(([, , reason]) => ({ level: 'warn', msg: 'mcp server failed', reason })),
  )
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})

// EVIDENCE-OF docs/guides/mcp.md: | answers 401 or 403 |
test('a server that refuses the token that it is given', async () => {
  const { lines } = await mcpTools({ two: await refusing(401, {}, { 'www-authenticate': 'Bearer' }) })
  const reason = 'HTTP status 401: it asks for Bearer, and refuses the "Authorization" that mcp.json sets'
  expect(lines).toMatchObject([{ msg: 'mcp server failed', reason }])
})

test('a redirect to another host is not followed', async () => {
  const other = await httpPeer()
  const { lines } = await mcpTools({ two: await refusing(307, {}, { location: other.url }) })
  expect(lines).toMatchObject([{ msg: 'mcp server failed', reason: 'HTTP status 307' }])
  expect(other.headers).toEqual([])
})
