import { argumentsFrom, normalizeArguments } from '@agent-task-service/messages/arguments'
import { OfferedTools } from '@agent-task-service/messages/offered-tools'
import { TextReader } from '@agent-task-service/messages/text-reader'
import { holds, splits } from '@agent-task-service/test-support/holds'
import fc from 'fast-check'
import { expect, test } from 'vitest'

type Type = 'string' | 'number' | 'boolean' | 'object' | 'array'
type Values = Readonly<Record<string, unknown>>
/** A call, as one family writes it. */
type Form = (name: string, args: Values) => string

const wireTool = (name: string, types: Readonly<Record<string, Type>>) => ({
  type: 'function' as const,
  function: {
    name,
    description: name,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(types).map(([key, type]) => [key, { type }])),
      required: Object.keys(types),
    },
  },
})

const json = (name: string, args: Values) => JSON.stringify({ name, arguments: args })
const inPython = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inPython).join(', ')}]`
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, member]) => `${JSON.stringify(key)}: ${inPython(member)}`)
    .join(', ')}}`
}
const keywords = (args: Values) =>
  Object.entries(args)
    .map(([key, value]) => `${key}=${inPython(value)}`)
    .join(', ')
const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const pairs = (args: Values, pair: (key: string, value: string) => string) =>
  Object.entries(args)
    .map(([key, value]) => pair(key, plain(value)))
    .join('')

/** In these a text stands in quotes, so that it may hold anything. */
const QUOTED: Readonly<Record<string, Form>> = {
  Hermes: (name, args) => `<tool_call>\n${json(name, args)}\n</tool_call>`,
  'a mark of no known family': (name, args) => `<acme:tool_call>${json(name, args)}</acme:tool_call>`,
  'a control token of no known family': (name, args) =>
    `<|acme_function_call_begin|>${name}<|acme_sep|>${JSON.stringify(args)}<|acme_function_call_end|>`,
  'Mistral, a list': (name, args) => `[TOOL_CALLS][${json(name, args)}]`,
  'Mistral, a name': (name, args) => `[TOOL_CALLS]${name}[ARGS]${JSON.stringify(args)}`,
  'Llama 3': (name, args) => `<function=${name}>${JSON.stringify(args)}</function>`,
  'DeepSeek V3': (name, args) =>
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${JSON.stringify(args)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  'Kimi K2': (name, args) =>
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>${JSON.stringify(args)}<|tool_call_end|><|tool_calls_section_end|>`,
  'Llama 4': (name, args) => `<|python_start|>[${name}(${keywords(args)})]<|python_end|>`,
  'OLMo 3': (name, args) => `<function_calls>${name}(${keywords(args)})</function_calls>`,
  Command: (name, args) =>
    `<|START_ACTION|>[{"tool_name": "${name}", "parameters": ${JSON.stringify(args)}}]<|END_ACTION|>`,
  Apertus: (name, args) => `<|tools_prefix|>[${JSON.stringify({ [name]: args })}]<|tools_suffix|>`,
  'gpt-oss': (name, args) =>
    `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${JSON.stringify(args)}<|call|>`,
}

/** In these a text stands between marks as it is. */
const BETWEEN_MARKS: Readonly<Record<string, Form>> = {
  'Qwen-Coder': (name, args) =>
    `<tool_call>\n<function=${name}>\n${pairs(args, (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`)}</function>\n</tool_call>`,
  MiniMax: (name, args) =>
    `<minimax:tool_call>\n<invoke name="${name}">\n${pairs(args, (key, value) => `<parameter name="${key}">${value}</parameter>\n`)}</invoke>\n</minimax:tool_call>`,
  'DeepSeek V3.2': (name, args) =>
    `<｜DSML｜function_calls>\n<｜DSML｜invoke name="${name}">\n${pairs(args, (key, value) => `<｜DSML｜parameter name="${key}" string="true">${value}</｜DSML｜parameter>\n`)}</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
  GLM: (name, args) =>
    `<tool_call>${name}\n${pairs(args, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`)}</tool_call>`,
  'Solar Open 2': (name, args) =>
    `<|tool_call:start|>${name}\n${pairs(args, (key, value) => `<|tool_arg:start|>${key}<|tool_arg:value|>${value}<|tool_arg:end|>\n`)}<|tool_call:end|>`,
  'Kimi K3': (name, args) =>
    `<|open|>tools<|sep|><|open|>call tool="${name}" index="1"<|sep|>${pairs(args, (key, value) => `<|open|>argument key="${key}" type="string"<|sep|>${value}<|close|>argument<|sep|>`)}<|close|>call<|sep|><|close|>tools<|sep|>`,
}

/** What stands in texts to lead a reader astray: marks, names of other tools, quotes, lines. */
const BAIT = [
  ...[
    '</parameter>',
    '</function>',
    '<function=other>',
    '<parameter=fake>',
    '</tool_call>',
    '<tool_call>',
    '[TOOL_CALLS]',
    '</arg_value>',
  ],
  ...[
    'https://example.com/other',
    'other',
    'call other',
    'other()',
    '{"name": "other"}',
    '"',
    "'",
    '\\',
    '\n',
    ' ',
    '`',
    '<b>',
    '}',
    ']',
    '城',
  ],
]
const word = fc.constantFrom('a', 'Oslo', '42', 'true', ...BAIT)
const text = fc
  .array(word, { minLength: 1, maxLength: 6 })
  .map(words => words.join(' ').trim())
  // A text in quotes is its own test. One that ends its own call is not told from the call's end.
  .filter(
    value => value !== '' && !/<\/(?:parameter|arg_value)>\s*</.test(value) && !/^["'`]|["'`]$/.test(value),
  )
const VALUES: Readonly<Record<Type, fc.Arbitrary<unknown>>> = {
  string: text,
  number: fc.integer({ min: -1e6, max: 1e6 }),
  boolean: fc.boolean(),
  object: fc.record({ x: fc.integer(), note: fc.constantFrom('y', '} {', 'other') }),
  array: fc.array(fc.integer(), { maxLength: 3 }),
}
/** A tool with parameters of any types, and a call of it. */
const call = fc
  .dictionary(
    fc.constantFrom('city', 'body', 'count', 'config', '城市'),
    fc.constantFrom(...(Object.keys(VALUES) as Type[])),
    {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    },
  )
  .chain(types =>
    fc
      .record(Object.fromEntries(Object.entries(types).map(([key, type]) => [key, VALUES[type]])), {
        noNullPrototype: true,
      })
      .map(args => ({ name: 'get_thing', types, args })),
  )

function readIn(pieces: readonly string[], types: Readonly<Record<string, Type>>, isCut = false) {
  const tools = new OfferedTools([wireTool('get_thing', types), wireTool('other', {})])
  const reader = new TextReader(tools)
  for (const piece of pieces) reader.add(piece)
  reader.end({ accepts: () => true }, isCut)
  return reader.calls.map(({ name, args }) => {
    const tool = tools.find(name)
    const read = normalizeArguments(argumentsFrom(args, tool), tool?.schema ?? {})
    // What cannot be read is told to the model.
    return { name, args: JSON.parse(JSON.stringify(read ?? null, (_, value) => value?.rawJSON ?? value)) }
  })
}

const calls = fc.oneof(
  fc.tuple(fc.constantFrom(...Object.entries(QUOTED)), call),
  // Between marks, a text ends with its line.
  fc
    .tuple(fc.constantFrom(...Object.entries(BETWEEN_MARKS)), call)
    .filter(([, { args }]) =>
      Object.values(args).every(value => typeof value !== 'string' || value === value.trim()),
    ),
)

// EVIDENCE-OF docs/reference/model-servers.md: Nothing is read from thoughts.
test('any call, in any form, in any pieces: the same name and the same arguments', () =>
  holds(
    300,
    fc.property(
      calls.chain(([[form, write], { name, types, args }]) =>
        fc.record({
          form: fc.constant(form),
          types: fc.constant(types),
          args: fc.constant(args),
          pieces: splits(fc.constantFrom('', 'I look. ').map(lead => lead + write(name, args))),
        }),
      ),
      ({ pieces, types, args }) => {
        const read = readIn(pieces, types)
        expect(read).toEqual([{ name: 'get_thing', args }])
        expect(readIn([pieces.join('')], types)).toEqual(read)
      },
    ),
  ))

test('of two calls next to each other, neither has a part of the other, whichever ends one forgets', () =>
  holds(
    150,
    fc.property(
      calls.chain(([[form, write], { name, types, args }]) => {
        const whole = write(name, args)
        // gpt-oss has no other end than the beginning of what follows.
        const ends = [...whole.matchAll(/<[^<>]*>|\[[A-Z_]+\]|\n/g)].map(({ index }) => index)
        return fc.record({
          types: fc.constant(types),
          args: fc.constant(args),
          written: fc
            .constantFrom(whole.length, ...ends.filter(end => end > whole.length / 2))
            .map(end => `${whole.slice(0, end)}\n${whole}`),
          form: fc.constant(form),
        })
      }),
      ({ written, types, args }) => {
        for (const call of readIn([written], types))
          if (call.args !== null) expect(call).toEqual({ name: 'get_thing', args })
      },
    ),
  ))

// EVIDENCE-OF docs/reference/model-servers.md: Nothing is read from thoughts.
test('a call that is cut anywhere runs whole or not at all', () =>
  holds(
    1_000,
    fc.property(
      calls.chain(([[form, write], { name, types, args }]) => {
        const whole = write(name, args)
        return fc.record({
          form: fc.constant(form),
          types: fc.constant(types),
          args: fc.constant(args),
          part: fc.nat({ max: whole.length - 1 }).map(length => whole.slice(0, length)),
          isCut: fc.boolean(),
        })
      }),
      ({ part, types, args, isCut }) => {
        for (const call of readIn([part], types, isCut)) expect(call).toEqual({ name: 'get_thing', args })
      },
    ),
  ))

const FORMS = Object.entries({ ...QUOTED, ...BETWEEN_MARKS })

test.each(FORMS)(
  '%s: an argument that ends like the name of another tool calls the one that is called',
  (_, write) => {
    for (const value of ['other', 'https://example.com/other', 'note: other', 'what is the other'])
      expect(readIn([write('get_thing', { city: value })], { city: 'string' })).toEqual([
        { name: 'get_thing', args: { city: value } },
      ])
  },
)

test.each(FORMS)('%s: an object is no wrapper of the arguments', (_, write) => {
  for (const config of [{}, { x: 1 }])
    expect(readIn([write('get_thing', { config })], { config: 'object' })).toEqual([
      { name: 'get_thing', args: { config } },
    ])
})

test.each(FORMS)('%s: within a sentence it is text', (_, write) => {
  const sentence = `Some models write ${write('get_thing', { city: 'Oslo' }).replaceAll('\n', ' ')} when they call.`
  if (!sentence.includes('<|channel|>')) expect(readIn([sentence], { city: 'string' })).toEqual([])
})

test.each([
  { value: '<![CDATA[a </function> b]]>', is: 'a </function> b' },
  { value: '&lt;div&gt; &amp; more', is: '<div> & more' },
  { value: '<p>a &lt; b</p>', is: '<p>a &lt; b</p>' },
  { value: '  padded  ', is: '  padded  ' },
  { value: '"Seoul"', is: 'Seoul' },
  { value: '"a" or "b"', is: '"a" or "b"' },
])('a value between marks of XML: $value', ({ value, is }) => {
  const written = `<invoke name="get_thing"><parameter name="city">${value}</parameter></invoke>`
  expect(readIn([written], { city: 'string' })).toEqual([{ name: 'get_thing', args: { city: is } }])
})

test('quotes around one text are its own if another text has none', () => {
  const written =
    '<tool_call><function=get_thing><parameter=city>\n"Oslo"\n</parameter><parameter=body>\nrain\n</parameter></function></tool_call>'
  expect(readIn([written], { city: 'string', body: 'string' })).toEqual([
    { name: 'get_thing', args: { city: '"Oslo"', body: 'rain' } },
  ])
})

test('a long list of calls is read up to a bound', () => {
  const written = '<tool_call>{"name": "get_thing", "arguments": {"city": "Oslo"}}</tool_call>\n'.repeat(
    20_000,
  )
  expect(readIn([written], { city: 'string' })).toHaveLength(1_000)
})
