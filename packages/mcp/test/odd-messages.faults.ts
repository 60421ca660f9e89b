import { createServer, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { holds } from '@agent-task-service/test-support/holds'
import { listening } from '@agent-task-service/test-support/mcp/listening'
import { listed, type Message, text } from '@agent-task-service/test-support/mcp/peer'
import { templateProgram } from '@agent-task-service/test-support/mcp/programs'
import { answerOf, type Templates } from '@agent-task-service/test-support/mcp/templates'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { McpSession } from '../session.ts'
import { callResult } from '../tool-result.ts'

type McpServerSettings = ConstructorParameters<typeof McpSession>[0]
type Reply = Record<string, unknown>
type Way = 'stdio' | 'HTTP JSON' | 'HTTP events'

const json = fc.jsonValue({ maxDepth: 2 })
/** What a member may be that a server should have left out. */
const absent = fc.constantFrom(null, undefined)
const reply = (result: unknown): Reply => ({ jsonrpc: '2.0', id: '$id', result })

/** What may be odd about a reply that still says what it says. */
const envelope: fc.Arbitrary<(reply: Reply) => unknown> = fc.constantFrom(
  reply => reply,
  ({ jsonrpc: _, ...reply }) => reply,
  reply => ({ ...reply, jsonrpc: 2 }),
  reply => ({ ...reply, id: '$text' }),
  reply => ({ ...reply, id: null }),
  ({ id: _, ...reply }) => reply,
  reply => ({ ...reply, error: null }),
  reply => ({ ...reply, method: null, params: null, extra: 1 }),
  reply => ({ ...reply, method: 'tools/call' }),
  reply => [reply],
  reply => [null, 7, { jsonrpc: '2.0', method: null }, reply],
)

const members = (names: readonly string[], value: fc.Arbitrary<unknown>) =>
  fc.record(Object.fromEntries(names.map(name => [name, value])), { requiredKeys: [] })

const initialize = fc
  .record({
    protocolVersion: fc.constantFrom('2025-06-18', null, undefined, 20250618),
    capabilities: fc.oneof(json, fc.constant({ tools: { listChanged: true } }), absent),
    others: members(['serverInfo', 'instructions', '_meta'], fc.oneof(json, absent)),
  })
  .map(({ others, ...result }) => ({ ...result, ...others }))

const definition = fc.oneof(
  json,
  members(['description', 'annotations', 'execution', 'title', '_meta', 'outputSchema', 'name'], json).map(
    odd => ({ ...listed('odd'), ...odd }),
  ),
)
const list = fc
  .record({
    definitions: fc.array(definition, { maxLength: 3 }),
    nextCursor: fc.constantFrom(null, undefined, '', false, {}),
    others: members(['_meta', 'ttlMs', 'cacheScope', 'resultType'], fc.oneof(json, absent)),
  })
  .map(({ definitions, nextCursor, others }) => ({
    ...others,
    nextCursor,
    tools: [listed('before'), ...definitions, listed('after'), listed('good')],
  }))

const part = fc.oneof(
  json,
  fc
    .tuple(
      fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'json', 7, null),
      members(['text', 'data', 'mimeType', 'uri', 'resource', 'annotations', '_meta'], json),
    )
    .map(([type, odd]) => ({ type, ...odd })),
)
const call = fc
  .record({
    parts: fc.array(part, { maxLength: 3 }),
    isError: fc.constantFrom(null, undefined, false, 'false'),
    others: members(['_meta', 'structuredContent', 'toolResult', 'task'], fc.oneof(json, absent)),
  })
  .map(({ parts, others, isError }) => ({
    ...others,
    isError,
    content: [...text('before').content, ...parts, ...text('after').content],
  }))

const odd = (result: fc.Arbitrary<unknown>) =>
  fc.tuple(envelope, result).map(([wrap, result]) => JSON.stringify(wrap(reply(result))))

/** Replies that nobody can read, though they answer. */
const unreadable = fc.oneof(
  fc.constantFrom(
    JSON.stringify(reply('whole')).slice(0, -2),
    '{"jsonrpc": "2.0", "id": "$id", "result": {"content": [], "structuredContent": {"a": NaN}}}',
    '{"jsonrpc": "2.0", "id": "$id"}',
    '{"id": "$text", "result": null, "error": "no"}',
  ),
  fc
    .oneof(
      json.filter(error => error !== null),
      members(['code', 'message', 'data'], json),
    )
    .map(error => JSON.stringify({ jsonrpc: '2.0', id: '$id', error })),
)

const GOOD = {
  initialize: JSON.stringify(
    reply({ protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } }),
  ),
  'tools/list': JSON.stringify(reply({ tools: [listed('odd'), listed('good')] })),
  good: JSON.stringify(reply(text('fine'))),
}

const EVENTS = { 'content-type': 'text/event-stream' }
/** How a response may end without a reply. */
const ENDINGS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  cut: response => response.writeHead(200, EVENTS).write(': hello\n\n', () => response.destroy()),
  'cut in a reply': response =>
    response.writeHead(200, EVENTS).write('data: {"jsonrpc":"2.0"', () => response.destroy()),
  'no event': response => response.writeHead(200, EVENTS).end(),
  'another reply': response =>
    response.writeHead(200, EVENTS).end('data: {"jsonrpc":"2.0","id":999,"result":{}}\n\n'),
  'an event id that leads nowhere': response =>
    response.writeHead(200, EVENTS).write('retry: 1\nid: 7\ndata:\n\n', () => response.destroy()),
  'half JSON': response => response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc"'),
  nothing: response => response.writeHead(200).end(),
  accepted: response => response.writeHead(202).end(),
  'no content': response => response.writeHead(204).end(),
  'a list of nothing': response => response.writeHead(200).end('[]'),
}

/** A server over HTTP that answers by templates; a stream of events stays open behind its reply. */
async function templateServer() {
  const cases: Templates[] = []
  const server = createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    const body = await readText(request)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const answer = answerOf(cases[Number(searchParams.get('case'))]!, JSON.parse(body) as Message)
    if (answer === undefined) return void response.writeHead(202).end()
    if (answer in ENDINGS) return ENDINGS[answer]!(response)
    const hasEvents = searchParams.has('events')
    response.writeHead(200, { 'content-type': hasEvents ? 'text/event-stream' : 'application/json' })
    if (hasEvents) response.write(`data: ${answer}\n\n`)
    else response.end(answer)
  })
  const { url } = await listening(server)
  return (templates: Templates, way: Way) =>
    `${url}?case=${cases.push(templates) - 1}${way === 'HTTP events' ? '&events' : ''}`
}

async function withSession<Value>(
  settings: McpServerSettings,
  use: (tools: readonly string[], read: (tool: string) => Promise<string>) => Promise<Value>,
): Promise<Value> {
  const none = { tools: [], repaired: [], refused: [], names: [], verdicts: new Map() }
  const server = { name: 's', isAway: false, isListed: () => true, call: () => never }
  const session = new McpSession(settings, server, none, false)
  const read = async (name: string) => {
    const result = await session
      .call({ name, inputSchema: { type: 'object' } }, {}, { idempotencyKey: 'key' })
      .catch(error => ({ content: [{ type: 'text', text: `failed: ${error.message}` }] }))
    return (result.content[0] as { text: string }).text
  }
  try {
    const { tools } = await session.open()
    return await use(
      tools.map(({ name }) => name),
      read,
    )
  } finally {
    await session.close()
  }
}

const never = new Promise<never>(() => {})

const WAYS: [way: Way, cases: number][] = [
  ['HTTP JSON', 60],
  ['HTTP events', 60],
  ['stdio', 8],
]

async function settingsFor(way: Way) {
  const urlOf = await templateServer()
  return (templates: Templates): McpServerSettings =>
    way === 'stdio'
      ? { transport: 'stdio', name: 's', env: {}, ...templateProgram(templates) }
      : { transport: 'http', name: 's', headers: {}, url: urlOf(templates, way) }
}

// EVIDENCE-OF docs/guides/mcp.md: | sends odd messages |
test.each(WAYS)(
  'no odd member over %s costs another tool, another part or the connection',
  async (way, cases) => {
    const settings = await settingsFor(way)
    const templates = fc.record({ initialize: odd(initialize), 'tools/list': odd(list), odd: odd(call) })
    await holds(
      cases,
      fc.asyncProperty(templates, async odd => {
        await withSession(settings({ ...GOOD, ...odd }), async (tools, read) => {
          expect(tools).toEqual(expect.arrayContaining(['s__before', 's__after', 's__good']))
          expect(await read('odd')).toMatch(/^before\n(?:.*\n)?after/s)
          expect(await read('good')).toBe('fine')
        })
      }),
    )
  },
)

// EVIDENCE-OF docs/guides/mcp.md: | answers in a way that cannot be read, or breaks off |
test.each(WAYS)('a reply over %s that nobody can read fails its call at once', async (way, cases) => {
  const settings = await settingsFor(way)
  await holds(
    cases,
    fc.asyncProperty(unreadable, async odd => {
      await withSession(settings({ ...GOOD, odd }), async (_tools, read) => {
        const outcome = await read('odd')
        expect(outcome).toMatch(/^failed: /)
        expect(outcome).not.toContain('no answer in time')
        expect(await read('good')).toBe('fine')
      })
    }),
  )
})

test.each(Object.keys(ENDINGS))('a response that ends with %s fails its call at once', async ending => {
  const settings = await settingsFor('HTTP JSON')
  await withSession(settings({ ...GOOD, odd: ending }), async (_tools, read) => {
    expect(await read('odd')).toMatch(
      /^failed: .*gave no usable answer \((?:connection closed|its response holds no reply)\)$/,
    )
    expect(await read('good')).toBe('fine')
  })
})

test('a response that breaks off behind an event id is read on', async () => {
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse((await readText(request)) || '{}')
    if (request.method === 'GET' && request.headers['last-event-id'] === 'seven')
      return void response
        .writeHead(200, EVENTS)
        .end(`data: ${JSON.stringify({ ...reply(text('read on')), id: 2 })}\n\n`)
    if (params?.name === 'odd')
      return void response.writeHead(200, EVENTS).write('id: seven\ndata:\n\n', () => response.destroy())
    const answer = answerOf(GOOD, { id, method, params })
    if (answer === undefined) return void response.writeHead(request.method === 'GET' ? 405 : 202).end()
    response.writeHead(200).end(answer)
  })
  const { url } = await listening(server)
  await withSession({ transport: 'http', name: 's', headers: {}, url }, async (_tools, read) => {
    expect(await read('odd')).toBe('read on')
  })
})

test.each([
  ['{"structuredContent":{"id":12345678901234567890}}', '{"id":12345678901234567890}'],
  ['{"id":12345678901234567890,"of":null}', '{"id":12345678901234567890,"of":null}'],
  [
    '{"content":"{ \\"id\\": 12345678901234567890 }","structuredContent":{"id":12345678901234567890}}',
    '{ "id": 12345678901234567890 }',
  ],
])('the numbers of %s are read as they came', async (result, expected) => {
  const settings = await settingsFor('HTTP events')
  const odd = `{"jsonrpc":"2.0","id":"$id","result":${result}}`
  await withSession(settings({ ...GOOD, odd }), async (_tools, read) => {
    expect(await read('odd')).toBe(expected)
  })
})

test('a text that the structured content holds too is read once', async () => {
  const name = fc.constantFrom('content', 'result', 'a', 'b')
  const rest = fc.dictionary(fc.constantFrom('size', 'isCut'), fc.oneof(fc.integer(), fc.boolean()))
  /** Something around the text that holds no other. */
  const { around } = fc.letrec<{ around: (text: string) => unknown }>(tie => ({
    around: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant((text: string): unknown => text),
      fc.tuple(name, rest, tie('around')).map(([name, rest, inner]) => (text: string) => ({
        ...rest,
        [name]: inner(text),
      })),
      tie('around').map(inner => (text: string) => [inner(text)]),
    ),
  }))
  await holds(
    300,
    fc.property(fc.string({ minLength: 1 }), around, (words, around) => {
      const told = words.trim() === '' ? 'words' : `words ${words}`
      const structuredContent = around(told)
      const { content } = callResult({ ...text(told), structuredContent }) as ReturnType<typeof text>
      const [first = '', ...others] = content[0]!.text.split(told)
      expect(first).toBe('')
      expect(others).toHaveLength(1)
      const isAlone = !/"(?:size|isCut)"/.test(JSON.stringify(structuredContent))
      if (isAlone) expect(others).toEqual([''])
      else expect(others[0]).toMatch(/^\n[[{]/)
    }),
  )
})
