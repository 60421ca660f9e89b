import { ToolError } from '@agent-task-service/engine/tool'
import { httpPeer } from '@agent-task-service/test-support/mcp/http-peer'
import { listed, type Peer, text } from '@agent-task-service/test-support/mcp/peer'
import { program, started } from '@agent-task-service/test-support/mcp/started'
import { until } from '@agent-task-service/test-support/until'
import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { expect, test } from 'vitest'
import { guardTool } from '../../tool-rules/guarded-tools.ts'

/** The tools on offer from a server that lists these, next to an honest server. */
async function offered(tools: readonly unknown[], peer: Partial<Peer> = {}) {
  const liar = await httpPeer({ list: () => ({ tools }), ...peer })
  const honest = await httpPeer({})
  const all = await started([liar.settings('liar'), honest.settings('honest')])
  expect(all.names()).toContain('honest__echo')
  // Whatever arrived can be offered.
  all
    .names()
    .map(all.tool)
    .map(tool => guardTool(tool))
  const [connected] = all.reports.filter(({ server }) => server === 'liar')
  const refused = connected?.type === 'connected' ? connected.refused : undefined
  return { ...all, names: all.names().filter(name => name.startsWith('liar')), refused }
}

const unsound: [what: string, schema: unknown][] = [
  ['no schema', undefined],
  ['a schema without a type', {}],
  ['an invalid type', { type: 'object', properties: { a: { type: 'strng' } } }],
  ['a reference to nowhere', { type: 'object', properties: { a: { $ref: '#/$defs/a' } } }],
  ['an invalid pattern', { type: 'object', properties: { a: { type: 'string', pattern: '(' } } }],
  ['a schema of a megabyte', { type: 'object', description: 'x'.repeat(2 ** 20) }],
]

test.each(unsound)('refuses a tool with %s, and no other', async (_what, schema) => {
  const { names, refused } = await offered([{ ...listed('bad'), inputSchema: schema }, listed('good')])
  expect(names).toEqual(['liar__good'])
  expect(refused).toMatchObject([{ name: 'liar__bad' }])
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
  const { tool } = await offered([
    listed('first', { ...top, ...schema }),
    listed('second', { ...top, type: 'object' }),
  ])
  expect(toJsonSchema(tool('liar__first').schema)).toMatchObject(schema)
  expect(toJsonSchema(tool('liar__second').schema)).toMatchObject({ type: 'object', properties: {} })
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
  const { names, refused } = await offered([
    null,
    {},
    listed(''),
    { ...listed('worded'), description: 7 },
    { ...listed('later'), execution: { taskSupport: 'required' } },
    listed('good'),
  ])
  expect(names).toEqual(['liar__good'])
  expect(refused).toHaveLength(5)
})

test('makes names valid; of two that collide the first stays', async () => {
  const long = 'x'.repeat(100)
  const { names, refused } = await offered([
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
  const again = { name: 'liar__read_file', reason: 'duplicate name' }
  expect(refused).toEqual([again, again])
})

test('does not accept names that the agent or an earlier server already has', async () => {
  const first = await httpPeer({ list: () => ({ tools: [listed('b__c')] }) })
  const second = await httpPeer({ list: () => ({ tools: [listed('c'), listed('d')] }) })
  const { names, reports } = await started([first.settings('a'), second.settings('a__b')], {
    taken: ['a__b__d'],
  })
  expect(names()).toEqual(['a__b__c'])
  expect(reports.at(-1)).toEqual({ type: 'left_out', server: 'a__b', names: ['a__b__c', 'a__b__d'] })
})

test('truncates a description of a megabyte', async () => {
  const { tool } = await offered([{ ...listed('wordy'), description: `${'🌊'.repeat(2 ** 18)}` }])
  expect(tool('liar__wordy').description).toHaveLength(1024)
  expect(tool('liar__wordy').description.isWellFormed()).toBe(true)
})

test('offers a hundred of thousands of tools, and no other server loses one to them', async () => {
  const { names, refused, reports } = await offered(
    Array.from({ length: 5_000 }, (_, n) => listed(`tool${n}`)),
  )
  expect(names).toHaveLength(99)
  expect(refused).toHaveLength(4_900)
  expect(reports.at(-1)).toEqual({ type: 'left_out', server: 'liar', names: ['liar__tool99'] })
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
  const { names, reports } = await offered([], { list: () => ({}) })
  expect(names).toEqual([])
  expect(reports.find(({ server }) => server === 'liar')).toMatchObject({ type: 'failed' })
})

/** What the model reads from a call with this result. */
async function resultOf(result: unknown): Promise<string> {
  const { call } = await offered([listed('do')], { call: () => result })
  return await call('liar__do').catch(error => {
    expect(error).toBeInstanceOf(ToolError)
    return `${error.name}: ${error.message}`
  })
}

test.each<[what: string, result: unknown, read: unknown]>([
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
  ['an empty error', { ...text(''), isError: true }, 'ToolError: The MCP tool returned an error.'],
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
    'ToolError: The MCP tool returned an error: no such file',
  ],
  [
    'content of an unknown kind',
    { content: [{ type: 'hologram' }] },
    // It may have happened.
    expect.stringMatching(/^UnknownOutcome: .*no usable answer/),
  ],
])('a result of %s', async (_what, result, read) => {
  expect(await resultOf(result)).toEqual(read)
})

test("the model reads a refusal in the protocol's own form", async () => {
  const { call } = await offered([listed('do')], {
    call() {
      throw new Error('the path must be absolute')
    },
  })
  await expect(call('liar__do')).rejects.toThrow('the path must be absolute')
})

test('a result of 11 MB fails the call; the server is available afterwards', async () => {
  const length = 11 * 2 ** 20
  const { call } = await offered([listed('do')], {
    call: (_name, args) => (args.large ? text('x'.repeat(length)) : undefined),
  })
  await expect(call('liar__do', { large: true })).rejects.toThrow('no usable answer')
  expect(await call('liar__do')).toBe('{}')
  const { names, call: callProgram, events } = await started([program('one')])
  await expect(callProgram('one__flood', { length })).rejects.toThrow('no usable answer')
  await until(() => events.length === 3 && names().length > 0)
  expect(await callProgram('one__echo')).toBe('{}')
})

test('ignores noise between the messages', async () => {
  const { call } = await started([program('one')])
  expect(await call('one__noise')).toBe('noisy')
  expect(await call('one__echo')).toBe('{}')
})

test("a program gets what mcp.json gives it and a safe minimum, nothing else of the agent's environment", async () => {
  const { call } = await started([program('one', [], { TOKEN: 'its own' })])
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
  const peer = await httpPeer({})
  const { call } = await started([peer.settings('two', { authorization: 'Bearer abc' })])
  await call('two__echo')
  expect(new Set(peer.headers.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer abc']))
})
