import { ScriptedModel } from '@agent-task-service/engine/testing'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listed, type Peer, text } from '@agent-task-service/test-support/mcp/peer'
import { program } from '@agent-task-service/test-support/mcp/programs'
import { mcpService, mcpTools } from '@agent-task-service/test-support/mcp/service'
import { says } from '@agent-task-service/test-support/openai-replies'
import { openAIServer } from '@agent-task-service/test-support/openai-server'
import { until } from '@agent-task-service/test-support/until'
import { tool } from '@langchain/core/tools'
import { expect, test } from 'vitest'
import { z } from 'zod'

/** A service with a server that lists these tools, next to an honest one: what is offered of the first, and refused. */
async function offered(tools: readonly unknown[], peer: Partial<Peer> = {}) {
  const liar = await httpPeer({ list: () => ({ tools }), ...peer })
  const honest = await httpPeer()
  const all = await mcpTools({ liar: { url: liar.url }, honest: { url: honest.url } })
  const names = await all.names()
  expect(names).toContain('honest__echo')
  const [connected] = all.lines.filter(
    ({ msg, server }) => msg === 'mcp server connected' && server === 'liar',
  )
  return { ...all, names: names.filter(name => name.startsWith('liar')), connected }
}

/** The tools of such a server as they reach a model, by name. */
async function atTheModel(tools: readonly unknown[]) {
  const liar = await httpPeer({ list: () => ({ tools }) })
  const model = await openAIServer(() => says('fine'))
  const { run } = await mcpService({ liar: { url: liar.url } }, model.env)
  await run('Hello')
  const sent = model.requests[0]!.body.tools as { function: { name: string; description: string } }[]
  return Object.fromEntries(sent.map(tool => [tool.function.name, tool.function]))
}

const unsound: [name: string, schema: unknown, leftOut: string][] = [
  ['absent', undefined, 'inputSchema'],
  ['null', null, 'inputSchema'],
  ['wrong_type', { type: 'object', properties: { a: { type: 'strng' } } }, 'type'],
  ['lost_reference', { type: 'object', properties: { a: { $ref: '#/$defs/a' } } }, '$ref'],
  ['bad_pattern', { type: 'object', properties: { a: { pattern: '(', title: 'A' } } }, 'pattern'],
  ['null_list', { type: 'object', properties: {}, required: null }, 'required'],
  ['wordy', { type: 'object', description: 'x'.repeat(2 ** 20) }, 'description'],
]

// EVIDENCE-OF docs/reference/threat-model.md: One hangs, lies, floods or dies
test('offers a tool with an unsound schema without what is unsound, and refuses one that is too long', async () => {
  const bad = unsound.map(([name, schema]) => ({ ...listed(name), inputSchema: schema }))
  const members = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`a${n}`, { type: 'null' }]))
  const large = listed('large', { type: 'object', properties: members })
  const { names, connected } = await offered([...bad, large, listed('good')])
  expect(names).toEqual([...unsound.map(([name]) => `liar__${name}`), 'liar__good'])
  expect(connected).toMatchObject({
    repaired: 7,
    repaired_tools: unsound.map(([name, , leftOut]) => `liar__${name}: ${leftOut}`),
    refused_tools: ['liar__large: schema too long'],
  })
  const { liar__bad_pattern: told } = await atTheModel(bad)
  expect(told).toMatchObject({
    parameters: { type: 'object', properties: { a: { title: 'A' } } },
  })
})

test('sound schemas reach the model unchanged, except for what providers refuse', async () => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string', pattern: '^[\\w-.]+$', format: 'uri' },
      mode: { anyOf: [{ const: 'r' }, { type: 'null' }] },
      tree: { $ref: '#/$defs/node' },
    },
    required: ['path'],
    additionalProperties: false,
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
  }
  const top = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'https://example.com/x',
    anyOf: [{ required: ['path'] }],
  }
  const { liar__first: first, liar__second: second } = await atTheModel([
    listed('first', { ...top, ...schema }),
    listed('second', { ...top, type: 'object' }),
  ])
  expect(first).toMatchObject({ parameters: schema })
  expect(second).toMatchObject({ parameters: { type: 'object', properties: {} } })
})

test('does not expand references without bound', async () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => {
      const next = { $ref: `#/$defs/d${(n + 1) % 60}` }
      return [`d${n}`, { type: 'object', properties: { a: next, b: next } }]
    }),
  )
  const { names } = await offered([
    listed('bomb', { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs }),
  ])
  expect(names).toEqual(['liar__bomb'])
})

test('refuses what is not a tool', async () => {
  const { names, connected } = await offered([
    null,
    {},
    listed(''),
    { ...listed('later'), execution: { taskSupport: 'required' } },
    listed('good'),
  ])
  expect(names).toEqual(['liar__good'])
  expect(connected).toMatchObject({ refused: 4 })
})

test('makes names valid; of two that collide the first stays', async () => {
  const long = 'x'.repeat(100)
  const { names, connected } = await offered([
    listed('read.file'),
    listed('read file'),
    listed('read.file'),
    listed(`${long}1`),
    listed(`${long}2`),
    listed('löschen\n'),
  ])
  expect(names).toEqual([
    'liar__read_file',
    expect.stringMatching(/^liar__x{49}_[0-9a-f]{8}$/),
    expect.stringMatching(/^liar__x{49}_[0-9a-f]{8}$/),
    'liar__l_schen_',
  ])
  expect(new Set(names).size).toBe(4)
  const again = 'liar__read_file: duplicate name'
  expect(connected).toMatchObject({ refused_tools: [again, again] })
})

/** Where nobody listens; `fetch` asks nobody at port 1. */
const NOBODY = 'http://127.0.0.1:2/mcp'
const LEFT_OUT = 'mcp tools left out: names taken'

test('does not accept names that the agent or an earlier server already has', async () => {
  const first = await httpPeer({ list: () => ({ tools: [listed('b__c')] }) })
  const second = await httpPeer({ list: () => ({ tools: [listed('c'), listed('d')] }) })
  const own = tool(() => 'own', { name: 'a__b__d', description: 'own', schema: z.object({}) })
  const model = new ScriptedModel(() => 'fine')
  const servers = { a: { url: first.url }, a__b: { url: second.url } }
  const { run, lines } = await mcpService(servers, {}, { models: [model.named()], tools: [own] })
  await until(() => lines.some(({ msg }) => msg === LEFT_OUT))
  await run('Hello')
  expect(model.requests[0]!.tools).toEqual(['a__b__d', 'a__b__c'])
  expect(lines.find(({ msg }) => msg === LEFT_OUT)).toMatchObject({
    msg: LEFT_OUT,
    server: 'a__b',
    left_out_tools: ['a__b__c', 'a__b__d'],
  })
})

test('truncates a description of a megabyte', async () => {
  const { liar__wordy } = await atTheModel([{ ...listed('wordy'), description: `${'🌊'.repeat(2 ** 18)}` }])
  expect(liar__wordy!.description).toHaveLength(1024)
  expect(liar__wordy!.description.isWellFormed()).toBe(true)
})

// EVIDENCE-OF docs/reference/threat-model.md: One hangs, lies, floods or dies
test('offers a thousand of thousands of tools by a search, and no other server loses one to them', async () => {
  const thousands = Array.from({ length: 5_000 }, (_, n) => listed(`tool${n}`))
  const [liar, honest] = [await httpPeer({ list: () => ({ tools: thousands }) }), await httpPeer()]
  const { events, names, call, lines } = await mcpTools({
    liar: { url: liar.url },
    honest: { url: honest.url },
  })
  expect(events()).toEqual(expect.arrayContaining(['connected liar 1000', 'connected honest 1']))
  const connected = lines.find(({ msg, server }) => msg === 'mcp server connected' && server === 'liar')
  expect(connected).toMatchObject({ refused: 4_000 })
  expect(await names()).toEqual(['find_tools'])
  expect(await call('honest__echo')).toBe('{}')
  expect(await call('liar__tool999')).toBe('{}')
})

test('stops reading an endless list', async () => {
  let pages = 0
  const { names } = await offered([], {
    list: () => ({ tools: [listed(`tool${pages}`)], nextCursor: `page ${++pages}` }),
  })
  expect(names).toHaveLength(50)
  expect(pages).toBe(50)
})

test('a server that lists nothing has no tools', async () => {
  const { names, events } = await offered([], { list: () => ({}) })
  expect(names).toEqual([])
  expect(events()).toContain('failed liar')
})

const results: [of: string, result: unknown, read: unknown][] = [
  ['several', { content: [...text('one').content, ...text('two').content] }, 'one\ntwo'],
  [
    'a summary beside the structure',
    { ...text('1 order'), structuredContent: { orders: [{ a: 1 }] }, _meta: { b: 2 } },
    '1 order\n{"orders":[{"a":1}]}',
  ],
  [
    'the structure as text too',
    { ...text('{ "b": 2, "a": 1 }'), structuredContent: { a: 1, b: 2 } },
    '{ "b": 2, "a": 1 }',
  ],
  ['a text that the structure wraps', { ...text('fine'), structuredContent: { result: 'fine' } }, 'fine'],
  ['a text of digits that it wraps', { ...text('7'), structuredContent: { result: '7' } }, '7'],
  [
    'a list that it wraps',
    { content: [...text('1').content, ...text('b').content], structuredContent: { result: [1, 'b'] } },
    '1\nb',
  ],
  ['structure without content', { structuredContent: { a: 1 } }, '{"a":1}'],
  ['structure and an empty text', { ...text(''), structuredContent: { a: 1 } }, '{"a":1}'],
  ['nothing', { content: [] }, 'The tool gave an empty result.'],
  ['an empty text', text(' \n'), 'The tool gave an empty result.'],
  ['an empty error', { ...text(''), isError: true }, 'Error: The MCP tool returned an error.'],
  [
    'a text and other things',
    {
      content: [
        ...text('See:').content,
        { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
        { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside', mimeType: 'text/plain' } },
        { type: 'resource', resource: { uri: 'file:///a.bin', blob: 'aGVsbG8=' } },
        { type: 'resource_link', uri: 'https://example.com/a', name: 'a' },
      ],
    },
    'See:\n[image of type image/png, not shown]\n[audio of type audio/wav, not shown]\ninside\n[resource, not shown]\n[link: https://example.com/a]',
  ],
  [
    'an error',
    { ...text('no such file'), isError: true },
    'Error: The MCP tool returned an error: no such file',
  ],
  [
    'parts of unknown kinds',
    { content: [{ type: 'json', json: {} }, { type: 'note', text: 'mind' }, { total: 4 }, null, 'so', 7] },
    '[json, not shown]\nmind\n{"total":4}\nso\n7',
  ],
  [
    'parts that are not as they should be',
    {
      content: [
        { type: 'text', text: 42, annotations: null, _meta: 'none' },
        { type: 'image', data: '?', mimeType: null },
        { type: 'resource', resource: null },
        { type: 'resource_link', uri: null },
      ],
    },
    '42\n[image, not shown]\n[resource, not shown]\n[resource_link, not shown]',
  ],
  ['a text in place of a list', { content: 'fine', isError: null }, 'fine'],
  ['a part in place of a list', { content: { type: 'text', text: 'fine' }, isError: 'false' }, 'fine'],
  ['no content', { success: true, total: null, _meta: { a: 1 } }, '{"success":true,"total":null}'],
  ['no object', 'fine', 'fine'],
  ['content that is null', { content: null, structuredContent: null }, 'The tool gave an empty result.'],
  ['an error by word', { ...text('no'), isError: 'True' }, 'Error: The MCP tool returned an error: no'],
  ['structure that is no object', { ...text('two:'), structuredContent: [1, 2] }, 'two:\n[1,2]'],
  ['its text in a member', { ...text('fine'), structuredContent: { content: 'fine' } }, 'fine'],
  ['its text deeper', { ...text('fine'), structuredContent: { a: [{ b: 'fine', c: null }] } }, 'fine'],
  ['its parts', { ...text('fine'), structuredContent: { content: text('fine').content } }, 'fine'],
  [
    'its text beside others',
    { ...text('fine'), structuredContent: { path: '/a', content: 'fine', lines: 1 } },
    'fine\n{"path":"/a","lines":1}',
  ],
  [
    'its text in a list of others',
    { ...text('fine'), structuredContent: ['fine', 'x'] },
    'fine\n["fine","x"]',
  ],
  [
    'its text in two places',
    { ...text('7'), structuredContent: { from: '7', to: '7', of: 9 } },
    '7\n{"from":"7","to":"7","of":9}',
  ],
]

test('what the model reads of a result', async () => {
  const tools = [{ ...listed('echo'), annotations: { readOnlyHint: false } }]
  const call = (_name: string, { nth }: { nth?: number }) => results[nth!]![1]
  const liar = await httpPeer({ list: () => ({ tools }), call })
  const service = await mcpTools({ liar: { url: liar.url } })
  for (const [nth, [of, , read]] of results.entries())
    expect([of, await service.call('liar__echo', { nth })]).toEqual([of, read])
})

test("the model reads a refusal in the protocol's own form", async () => {
  const liar = await httpPeer({
    call() {
      throw new Error('the path must be absolute')
    },
  })
  const { call } = await mcpTools({ liar: { url: liar.url } })
  expect(await call('liar__echo')).toContain('the path must be absolute')
})

// EVIDENCE-OF docs/reference/threat-model.md: One hangs, lies, floods or dies
test('a result of 11 MB fails the call; the server is available afterwards', async () => {
  const liar = await httpPeer({
    call: (_name, args) => (args.large ? text('x'.repeat(11 * 2 ** 20)) : undefined),
  })
  const { call } = await mcpTools({ liar: { url: liar.url } })
  expect(await call('liar__echo', { large: true })).toContain('no usable answer')
  expect(await call('liar__echo')).toBe('{}')
})

test('a program that is not installed says so, and affects nothing else', async () => {
  const honest = await httpPeer()
  const { lines, names } = await mcpTools({
    missing: { command: '/no/such/program' },
    two: { url: honest.url },
  })
  const failed = { level: 'warn', msg: 'mcp server failed', reason: 'ENOENT' }
  expect(lines.filter(({ server }) => server === 'missing')).toMatchObject([failed])
  expect(await names()).toEqual(['two__echo'])
})

// EVIDENCE-OF docs/reference/threat-model.md: | | A server that is a program reads or takes what the agent has |
// EVIDENCE-OF docs/reference/threat-model.md: A tool gets only the secrets it declares, an MCP program only the variables its entry
//   names, a log line only the listed fields.
test("a program gets what mcp.json gives it and a safe minimum, nothing else of the agent's environment", async () => {
  const { call } = await mcpTools({ one: { ...program(), env: { TOKEN: 'its own' } } })
  const env = JSON.parse(await call('one__env'))
  expect(process.env).toHaveProperty('VITEST')
  expect(env).toMatchObject({ TOKEN: 'its own', PATH: process.env.PATH })
  expect(
    Object.keys(env).filter(
      name => !['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'TOKEN'].includes(name),
    ),
  ).toEqual([])
})

test('sends headers with every request', async () => {
  const peer = await httpPeer()
  const { call } = await mcpTools({ two: { url: peer.url, headers: { authorization: 'Bearer abc' } } })
  await call('two__echo')
  expect(new Set(peer.headers.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer abc']))
})

test('starts servers in parallel', async () => {
  // Each waits until the other is called: in sequence, neither would start.
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const peerOf = (own: number) =>
    httpPeer({
      async list() {
        gates[own]!.resolve()
        await gates[1 - own]!.promise
        return { tools: [listed('echo')] }
      },
    })
  const [peer0, peer1] = [await peerOf(0), await peerOf(1)]
  const { names } = await mcpTools({ peer0: { url: peer0.url }, peer1: { url: peer1.url } })
  expect(await names()).toEqual(['peer0__echo', 'peer1__echo'])
})

test('logs what servers do, in our own words', async () => {
  const peer = await httpPeer({
    list: () => ({
      tools: [listed('echo'), listed('bad', { type: 'hunter2', required: { hunter2: 1 } }), null],
    }),
  })
  const { lines } = await mcpTools({ two: { url: peer.url }, gone: { url: NOBODY } })
  expect(lines.toSorted((a, b) => String(a.server).localeCompare(String(b.server)))).toMatchObject([
    { level: 'warn', msg: 'mcp server failed', server: 'gone', reason: 'ECONNREFUSED' },
    {
      level: 'warn',
      msg: 'mcp server connected',
      server: 'two',
      tools: 2,
      repaired: 1,
      repaired_tools: ['two__bad: type, required'],
      refused: 1,
      refused_tools: ['two__: bad definition'],
    },
  ])
  expect(JSON.stringify(lines)).not.toContain('hunter2')
})
