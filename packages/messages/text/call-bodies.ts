import { isObject, type JsonObject, parseExactJson, toText } from '@agent-task-service/wire/untrusted'
import { fits, type MemberSchema } from '../arguments.ts'
import type { OfferedTools } from '../offered-tools.ts'
import { LiteralReader, readLiteral } from './literals.ts'
import { rangesOfJson } from './ranges-of-json.ts'

/** A tool call that a model wrote into its text: the name as written, the arguments as JSON or as they stand. */
export interface WrittenCall {
  readonly name: string
  readonly args: string
}

/** Reads the calls in a body; `undefined` if it is none of its kind, or not whole. */
type BodyReader = (body: string, tools: OfferedTools) => readonly WrittenCall[] | undefined

/** What may stand between the tokens of a template, in order. */
const BODIES: readonly BodyReader[] = [
  jsonCalls,
  taggedCalls,
  keyedCalls,
  literalCalls,
  reactCalls,
  namedCalls,
]

/** The calls in a body, at least one of an offered tool; `undefined` if it cannot be read or names none. */
export function callsInBody(body: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  for (const read of BODIES) {
    const calls = read(body, tools)
    if (calls?.some(({ name }) => tools.find(name))) return calls
  }
  return undefined
}

const NAMES = ['name', 'function', 'function_name', 'tool', 'tool_name', 'action', 'recipient_name']
const ARGUMENTS = [
  'arguments',
  'parameters',
  'args',
  'params',
  'input',
  'action_input',
  'tool_input',
  'tool_args',
  'tool_arguments',
  'tool_parameters',
  'function_args',
  'function_arguments',
  'kwargs',
]
const LISTS = ['tool_calls', 'tool_call', 'tool_uses', 'function_call', 'function_calls', 'function', 'calls']
/** Members of a call that say nothing of what is called. */
const OTHERS = ['type', 'id', 'tool_call_id', 'index']

/** Names of the members with which a call in JSON may begin. */
export const CALL_MEMBERS: ReadonlySet<string> = new Set([...NAMES, ...ARGUMENTS, ...LISTS, ...OTHERS])

/** `{"name": …, "arguments": …}` and its kin: one, a list, or several in a row. */
export function jsonCalls(body: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  const text = unfenced(body)
  const ranges = rangesOfJson(text)
  const between = [0, ...ranges.map(({ end }) => end ?? text.length)].map((start, at) => {
    return text.slice(start, ranges[at]?.start)
  })
  if (ranges.length === 0 || between.some(gap => /[^\s,;}\]]/.test(gap))) return undefined
  const calls = ranges.map(({ start, end }) => {
    return callsInValue(mendedJson(text.slice(start, end), end === undefined), tools)
  })
  return calls.every(call => call !== undefined) ? calls.flat() : undefined
}

/** JSON, or what models make of it: with Python's quotes, in braces of a template, or with its last brace forgotten. */
function mendedJson(written: string, isOpen: boolean): unknown {
  const text = isOpen ? `${written}}` : written
  const bare = text.startsWith('{{') && text.endsWith('}}') ? text.slice(1, -1) : text
  return parseExactJson(text) ?? parseExactJson(bare) ?? readLiteral(text)
}

function callsInValue(value: unknown, tools: OfferedTools): readonly WrittenCall[] | undefined {
  if (Array.isArray(value)) {
    const calls = value.map(each => callsInValue(each, tools))
    return calls.every(call => call !== undefined) ? calls.flat() : undefined
  }
  if (!isObject(value)) return undefined
  const list = LISTS.map(name => value[name]).find(inner => Array.isArray(inner) || isObject(inner))
  if (list !== undefined) return callsInValue(list, tools)
  const call = callIn(value) ?? flatCallIn(value, tools)
  return call && [call]
}

function callIn(value: JsonObject): WrittenCall | undefined {
  const name = NAMES.map(name => value[name]).find(name => typeof name === 'string')
  const member = ARGUMENTS.find(name => name in value)
  // With a description, it is the definition of a tool.
  if (typeof name !== 'string' || member === undefined || 'description' in value) return undefined
  const args = value[member] ?? {}
  return isObject(args) || typeof args === 'string' ? { name, args: toText(args) } : undefined
}

/** `{"calculator": {…}}`, `{"tool": "calculator", "expression": "6*7"}`, or the name alone for a tool without arguments. */
function flatCallIn(value: JsonObject, tools: OfferedTools): WrittenCall | undefined {
  const [[only, inner] = ['', undefined], ...more] = Object.entries(value)
  const byName = more.length === 0 && isObject(inner) ? tools.find(only) : undefined
  if (byName && isObject(inner) && fits(inner, byName.schema)) return { name: only, args: toText(inner) }
  const member = NAMES.find(name => typeof value[name] === 'string' && tools.find(value[name]))
  const tool = member && tools.find(String(value[member]))
  if (!tool) return undefined
  const args = Object.entries(value).filter(([name]) => name !== member && !OTHERS.includes(name))
  const { properties = {}, required = [] } = tool.schema
  const isWhole = required.every(name => name in value) && args.every(([name]) => name in properties)
  return isWhole ? { name: tool.name, args: toText(Object.fromEntries(args)) } : undefined
}

/** The tags in which a call, and its arguments, are written, up to their name; and how they end. */
const CALL_TAGS = [
  { opens: '<function=', closes: '</function>', holdsOthers: true },
  { opens: '<function name="', closes: '</function>', holdsOthers: true },
  { opens: '<invoke name="', closes: '</invoke>', holdsOthers: true },
] as const
const ARGUMENT_TAGS = [
  { opens: '<parameter=', closes: '</parameter>', holdsOthers: false },
  { opens: '<parameter name="', closes: '</parameter>', holdsOthers: false },
  { opens: '<param name="', closes: '</param>', holdsOthers: false },
] as const
type Tag = (typeof CALL_TAGS)[number] | (typeof ARGUMENT_TAGS)[number]

/** `<function=calculator><parameter=expression>6*7</parameter></function>`, and Claude's, MiniMax's and DeepSeek's kin. */
function taggedCalls(body: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  const text = body.replace(/(<\/?)(?:\|DSML\||[a-z]+:)(?=(?:invoke|parameter)\b)/g, '$1')
  const tag = CALL_TAGS.find(({ opens }) => text.includes(opens))
  if (tag === undefined) return text.includes('<tool_name>') ? oldTaggedCalls(text, tools) : undefined
  const calls = elementsIn(text, tag).map(element => elementCall(element, tools))
  return calls.every(call => call !== undefined) ? calls : undefined
}

/** Its arguments are elements, or JSON, or none where the tool requires none. */
function elementCall({ name, inside }: Element, tools: OfferedTools): WrittenCall | undefined {
  const tag = ARGUMENT_TAGS.find(({ opens }) => inside.includes(opens))
  if (tag) {
    const members = elementsIn(inside, tag).map(({ name, inside }) => [name, inside] as const)
    return callOf(name, members, tools)
  }
  const [range] = rangesOfJson(inside)
  if (range?.end !== undefined) return { name, args: inside.slice(range.start, range.end) }
  const { required = [] } = tools.find(name)?.schema ?? {}
  return required.length === 0 ? { name, args: '{}' } : undefined
}

/** `<invoke><tool_name>calculator</tool_name><parameters><expression>6*7</expression></parameters></invoke>` */
function oldTaggedCalls(text: string, tools: OfferedTools): readonly WrittenCall[] {
  return text
    .split('<tool_name>')
    .slice(1)
    .map(part => {
      const [name = '', inside = ''] = part.split('</tool_name>')
      return callOf(name, childrenIn(inside.replace(/<\/?parameters>/g, '')), tools)
    })
}

/** The elements `<name>text</name>` next to each other, as name and text. */
export function childrenIn(text: string): [name: string, text: string][] {
  const found: [string, string][] = []
  for (let at = 0; at < text.length; ) {
    const opening = /<([\w-]+)>/g
    opening.lastIndex = at
    const start = opening.exec(text)
    const [whole = '', name = ''] = start ?? []
    const from = (start?.index ?? text.length) + whole.length
    const end = start ? text.indexOf(`</${name}>`, from) : -1
    if (end < 0) break
    found.push([name, text.slice(from, end)])
    at = end + name.length
  }
  return found
}

interface Element {
  readonly name: string
  readonly inside: string
}

function elementsIn(text: string, { opens, closes, holdsOthers }: Tag): Element[] {
  return text
    .split(opens)
    .slice(1)
    .map(part => {
      // Llama forgets the bracket behind a name.
      const [name = ''] = /^[\w.:-]*/.exec(part) ?? []
      const [tag = ''] = /^[^>{[(]*>?/.exec(part.slice(name.length)) ?? []
      const from = name.length + tag.length
      const close = part.indexOf(closes, from)
      const next = close < 0 && !holdsOthers ? part.indexOf('</', from) : close
      return { name, inside: part.slice(from, next < 0 ? part.length : next) }
    })
}

/** GLM's `calculator <arg_key>expression</arg_key> <arg_value>6*7</arg_value>`, or a name alone. */
export function keyedCalls(body: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  const [name = '', ...parts] = body.split('<arg_key>')
  const members = parts.map((part): [string, string] => {
    const [key = '', value = ''] = part.split('</arg_key>')
    const from = value.indexOf('<arg_value>') + '<arg_value>'.length
    const end = value.indexOf('</arg_value>')
    return [key, value.slice(from, end < 0 ? value.length : end)]
  })
  const bare = name.replace(/<[^<>]*>/g, ' ').trim()
  return tools.find(bare) ? [callOf(bare, members, tools)] : undefined
}

/** `[calculator(expression="6*7"), time()]` of Llama, Gemma, LFM2 and OLMo, and Gemma's `call:calculator{expression:…}`. */
export function literalCalls(body: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  // Python keeps a result, and prints it later.
  const code = unfenced(body)
    .replace(/^[ \t]*\w+ *= *(?=[\w.]+\()/gm, '')
    .replace(/^[ \t]*print\(\w+\)[ \t]*$/gm, '')
  const reader = new LiteralReader(code)
  const calls: WrittenCall[] = []
  const isList = reader.take('[')
  while (!reader.isAtEnd && !(isList && reader.take(']'))) {
    const call = literalCall(reader, tools)
    if (call === undefined) return undefined
    calls.push(call)
    while (reader.take(',') || reader.take(';'));
  }
  return reader.isAtEnd && calls.length > 0 ? calls : undefined
}

function literalCall(reader: LiteralReader, tools: OfferedTools): WrittenCall | undefined {
  const isPrinted = reader.take('print(')
  const isBraced = reader.take('call:')
  const name = reader.name()?.replace(/\.call$/, '')
  const tool = name === undefined ? undefined : tools.find(name)
  if (name === undefined || !reader.take(isBraced ? '{' : '(')) return undefined
  const args = isBraced ? reader.members() : reader.arguments(Object.keys(tool?.schema.properties ?? {}))
  if (args === undefined || (isPrinted && !reader.take(')'))) return undefined
  return { name, args: toText(withoutWrapper(args, tool?.schema.properties ?? {})) }
}

/** JavaScript passes all arguments as one object. */
function withoutWrapper(args: JsonObject, properties: object): unknown {
  const [only, ...others] = Object.values(args)
  const isWrapper =
    others.length === 0 && isObject(only) && Object.keys(only).every(name => name in properties)
  return isWrapper ? only : args
}

/** `calculator`, `Action Input: 6*7`, and perhaps an observation that the model makes up. */
function reactCalls(body: string): readonly WrittenCall[] | undefined {
  const [name = '', ...rest] = body.replaceAll('**', '').split('Action Input:')
  if (rest.length === 0) return undefined
  const [args = ''] = rest.join('Action Input:').split('\nObservation:')
  return [{ name: name.trim(), args: args.trim() }]
}

/** Longest text between two calls that is searched for a name, in characters. */
const MAX_GAP = 200

/** A name, some token, and the arguments: Mistral's, Kimi's, DeepSeek's, harmony's. */
export function namedCalls(body: string, tools: OfferedTools): readonly WrittenCall[] | undefined {
  const calls: WrittenCall[] = []
  let from = 0
  for (const { start, end } of rangesOfJson(withoutBrackets(body))) {
    const gap = body.slice(from, start)
    if (end === undefined || gap.length > MAX_GAP) return undefined
    const words = gap.replace(/<[^<>]*>|\[[A-Z_]+\]|```\w*/g, ' ').split(/\s+/)
    const name = words.findLast(word => word !== '' && tools.find(word))
    if (name === undefined) return undefined
    calls.push({ name, args: body.slice(start, end) })
    from = end
  }
  return calls.length > 0 ? calls : undefined
}

/** With blanks for Mistral's tokens in brackets, which are no lists. */
function withoutBrackets(text: string): string {
  return text.replace(/\[[A-Z_]+\]/g, token => ' '.repeat(token.length))
}

/** What stands in a fence, or the text itself. */
export function unfenced(text: string): string {
  const trimmed = text.trim()
  if (!trimmed.startsWith('```')) return trimmed
  const inside = trimmed.replace(/^`{3,}[\w-]*/, '')
  return (inside.endsWith('```') ? inside.slice(0, -'```'.length) : inside).trim()
}

/** A call with members that were written as text; a schema tells text from JSON. */
export function callOf(
  name: string,
  members: readonly (readonly [name: string, text: string])[],
  tools: OfferedTools,
): WrittenCall {
  const { properties = {} } = tools.find(name)?.schema ?? {}
  const args = members.map(([key, text]) => [key.trim(), memberOf(text, properties[key.trim()])])
  return { name: name.trim(), args: JSON.stringify(Object.fromEntries(args)) }
}

function memberOf(text: string, schema: MemberSchema | undefined): unknown {
  const value = schema?.type === 'string' ? undefined : (parseExactJson(text) ?? listIn(text))
  if (value !== undefined) return value
  // The template puts a long text on lines of its own.
  const inside = text.replace(/^\r?\n/, '').replace(/\r?\n[ \t]*$/, '')
  return inside.includes('\n') ? inside : text.trim()
}

/** A list or a dictionary of Python. */
function listIn(text: string): unknown {
  return /^\s*[[{]/.test(text) ? readLiteral(text) : undefined
}
