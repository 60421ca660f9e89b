import { endOfJson, isObject, parseExactJson, toText } from '@agent-task-service/wire/untrusted'
import type { MemberSchema } from '../arguments.ts'
import type { OfferedTool } from '../offered-tools.ts'
import { LiteralReader, readLiteral, WORDS } from './literals.ts'
import { type Mark, markAt, marksFrom, nextMark } from './marks.ts'

/** The arguments of a call, as JSON or as they stand, and where they end. */
interface CallArguments {
  readonly args: string
  readonly end: number
  /** Whether no more can follow: an object or a list in parentheses has ended. */
  readonly isBalanced: boolean
}

const SPACE = /\s*/y
/** `[Calling tool="web_search" query="weather"]` */
const ATTRIBUTE = /\s*([\p{L}_][\p{L}\p{N}_-]{0,60})="((?:[^"\\]|\\.)*)"/guy

/**
 * Reads what stands behind a call's name: an object, keyword arguments, pairs of marks around key and value, or nothing.
 *
 * @param tool the one that is called, if it was offered
 * @param opened words of the marks within which it stands: then an argument may be a text without quotes
 * @returns `undefined` if it is none of these, or not whole
 */
export function argumentsAt(
  text: string,
  from: number,
  tool: OfferedTool | undefined,
  opened: ReadonlySet<string>,
): CallArguments | undefined {
  const at = behindAnnouncement(text, from)
  if (text[at] === '{') return objectAt(text, at, opened.size > 0)
  if (text[at] === '(') return keywordsAt(text, at + 1, tool, opened.size > 0)
  const found = new Pairs(text, tool, opened).readFrom(at) ?? attributesAt(text, at)
  const isNeeded = (tool?.schema.required ?? []).length > 0
  return found ?? (isNeeded ? undefined : { args: '{}', end: from, isBalanced: false })
}

export function skip(text: string, from: number, pattern = SPACE): number {
  pattern.lastIndex = from
  return from + (pattern.exec(text)?.[0].length ?? 0)
}

/** Behind what only says that arguments follow: `[ARGS]`, `<|tool_sep|>`, `<parameters>`, a fence, an id. */
function behindAnnouncement(text: string, from: number): number {
  const at = skip(text, from, /\s*(?:```\w*\s*)?/y)
  const mark = markAt(text, at)
  if (!mark) return at
  const isId = mark.kind === 'separator' && mark.word === 'call id'
  if (isId) return behindAnnouncement(text, skip(text, mark.end, /\s*\w+/y))
  const isContainer = mark.kind === 'argument' && !mark.isClosing && mark.name === undefined
  const isAnnouncement = isContainer && /[{<`]/.test(text[skip(text, mark.end)] ?? '')
  return mark.kind === 'separator' || isAnnouncement ? behindAnnouncement(text, mark.end) : at
}

/** JSON, or what models make of it: Python's quotes, bare names and texts, a last brace forgotten. */
function objectAt(text: string, start: number, isMarked: boolean): CallArguments | undefined {
  const end = endOfJson(text, start)
  const slice = text.slice(start, end)
  if (end !== undefined && isObject(parseExactJson(slice))) return balanced(slice, end)
  const reader = new LiteralReader(text, start + 1, isMarked)
  const literal = reader.members()
  if (literal) return balanced(toText(literal), reader.at)
  // What is between braces and cannot be read is shown to the model.
  return end === undefined ? undefined : balanced(slice, end)
}

function keywordsAt(
  text: string,
  from: number,
  tool: OfferedTool | undefined,
  isMarked: boolean,
): CallArguments | undefined {
  const [first, ...others] = Object.entries(tool?.schema.properties ?? {})
  const [only, schema] = others.length === 0 ? (first ?? []) : []
  const at = skip(text, from)
  // JavaScript passes all arguments as one object.
  if (text[at] === '{' && schema?.type !== 'object') {
    const object = objectAt(text, at, isMarked)
    const end = object && skip(text, object.end)
    return end !== undefined && text[end] === ')' ? balanced(object?.args ?? '{}', end + 1) : undefined
  }
  const reader = new LiteralReader(text, from, isMarked)
  const args = reader.arguments(only)
  return args && balanced(toText(args), reader.at)
}

function balanced(args: string, end: number): CallArguments {
  return { args, end, isBalanced: true }
}

function attributesAt(text: string, from: number): CallArguments | undefined {
  ATTRIBUTE.lastIndex = from
  const found = [...text.matchAll(ATTRIBUTE)]
  const end = found.reduce((at, [whole]) => at + whole.length, from)
  if (end === from) return undefined
  const args = JSON.stringify(Object.fromEntries(found.map(([, key = '', value = '']) => [key, value])))
  return { args, end, isBalanced: text[end] === ']' }
}

/** One argument, and where it ends. */
interface Pair {
  readonly key: string
  readonly value: unknown
  readonly end: number
}

/** What a mark is to a value before it. */
type Part = 'close' | 'parameter' | 'end' | 'next call' | 'call'

/** Where a value ends, and what ends it. */
interface Bounds {
  readonly start: number
  readonly end: number
  /** Whether a model has forgotten its end: then some of a text may be missing. */
  readonly isOpen: boolean
}

function mayBeText(schema: MemberSchema | undefined): boolean {
  const types = [schema?.type].flat()
  return types[0] === undefined || types.includes('string')
}

/**
 * Arguments between marks: `<parameter=key>value</parameter>`, `<arg_key>key</arg_key><arg_value>value</arg_value>`,
 * `<key>value</key>` for a key that the schema declares. A value ends at the last closing mark before the next declared
 * parameter or the call's own end, so that marks within it are text.
 */
class Pairs {
  readonly #text: string
  readonly #properties: Readonly<Record<string, MemberSchema | undefined>>
  readonly #opened: ReadonlySet<string>

  constructor(text: string, tool: OfferedTool | undefined, opened: ReadonlySet<string>) {
    this.#text = text
    this.#opened = opened
    this.#properties = tool?.schema.properties ?? {}
  }

  /** @returns `undefined` if there is none, or a value has no end */
  readFrom(from: number): CallArguments | undefined {
    const pairs: Pair[] = []
    let at = skip(this.#text, from)
    for (let mark = this.#markAt(at); mark && isOpening(mark); mark = this.#markAt(at)) {
      const pair = this.#pairAt(mark)
      if (!pair) return undefined
      pairs.push(pair)
      at = skip(this.#text, pair.end)
    }
    if (pairs.length === 0) return undefined
    const args = withoutQuotes(pairs.map(({ key, value }) => [key, value]))
    return { args: toText(Object.fromEntries(args)), end: at, isBalanced: false }
  }

  #pairAt(mark: Mark): Pair | undefined {
    if (mark.name !== undefined) return this.#valueFrom(mark, mark.name)
    const next = nextMark(this.#text, mark.end)
    const value = next?.isClosing ? this.#markAt(skip(this.#text, next.end)) : next
    if (!next || value?.kind !== 'value') return undefined
    return this.#valueFrom(value, this.#text.slice(mark.end, next.start).trim())
  }

  #valueFrom(opening: Mark, key: string): Pair | undefined {
    const schema = this.#properties[key]
    const bounds = this.#boundsOfValue(opening)
    if (!bounds || (bounds.isOpen && mayBeText(schema))) return undefined
    const text = this.#text.slice(opening.end, bounds.start)
    const hasKey = /^<[^\s>]*=/.test(this.#text.slice(opening.start, opening.end))
    const isXml = opening.kind !== 'value' && !opening.isToken
    const form = hasKey ? 'line' : isXml ? 'xml' : 'plain'
    return { key, value: memberValue(text, schema, form), end: bounds.end }
  }

  #boundsOfValue(opening: Mark): Bounds | undefined {
    let close: Mark | undefined
    /** The close with which the call ends too. */
    let last: Mark | undefined
    /** What comes next, if the value has no close. */
    let next: Mark | undefined
    for (const mark of marksFrom(this.#text, opening.end, (_, at) => this.#markAt(at))) {
      const part = this.#partAt(mark, opening)
      const isBehind = close !== undefined && this.#text.slice(close.end, mark.start).trim() === ''
      if (part === 'parameter' || part === 'end') next ??= mark
      if (part === 'end' && isBehind) last = close
      if (part === 'close') close = mark
      if (isOver(part, isBehind, last)) break
    }
    const found = last ?? close
    if (found) return { start: found.start, end: found.end, isOpen: false }
    // Some models forget the ends of all values.
    return next && { start: next.start, end: next.start, isOpen: true }
  }

  /** What a mark is to a value before it: its close, the next parameter, the call's end, or another call. */
  #partAt(mark: Mark, opening: Mark): Part | undefined {
    if (closes(mark, opening)) return 'close'
    if (this.#isDeclared(mark)) return 'parameter'
    // What begins like this call behind a value is the next one.
    if (mark.kind === 'call' && !mark.isClosing) return this.#opened.has(mark.word) ? 'next call' : 'call'
    // Also of all arguments: </parameters>
    const isEnd = mark.kind === 'turn' || mark.kind === 'call' || (mark.kind === 'argument' && mark.isClosing)
    return isEnd ? 'end' : undefined
  }

  /** The mark at an index, or the element of a declared key. */
  #markAt(at: number): Mark | undefined {
    const [whole, slash, key = ''] =
      /^<(\/?)([\p{L}_][\p{L}\p{N}_-]{0,60})>/u.exec(this.#text.slice(at, at + 70)) ?? []
    if (whole === undefined || !Object.hasOwn(this.#properties, key)) return markAt(this.#text, at)
    const isClosing = slash === '/'
    return {
      start: at,
      end: at + whole.length,
      kind: 'argument',
      isClosing,
      isToken: false,
      word: key,
      name: key,
    }
  }

  /** Whether another argument begins: without a schema, any may. */
  #isDeclared(mark: Mark): boolean {
    if (!isOpening(mark)) return false
    const isAny = mark.name === undefined || Object.keys(this.#properties).length === 0
    return isAny || Object.hasOwn(this.#properties, mark.name ?? '')
  }
}

/** Whether no later mark can end a value. */
function isOver(part: Part | undefined, isBehind: boolean, last: Mark | undefined): boolean {
  if (part === 'next call') return isBehind || last !== undefined
  return part === 'parameter' || (part === 'call' && last !== undefined)
}

function isOpening({ kind, isClosing }: Mark): boolean {
  return !isClosing && (kind === 'argument' || kind === 'key')
}

function closes(mark: Mark, opening: Mark): boolean {
  const isPart = opening.kind === 'value' && mark.kind === 'argument'
  return mark.isClosing && (mark.word === opening.word || isPart)
}

const CDATA = /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** How a value is written: on lines of its own behind `<parameter=key>`, as XML, or as it is. */
type Form = 'line' | 'xml' | 'plain'

/** A value that was written between marks; its schema tells text from JSON. */
function memberValue(written: string, schema: MemberSchema | undefined, form: Form): unknown {
  const [, cdata] = CDATA.exec(written) ?? []
  const text = cdata ?? plainText(written, form)
  const types = [schema?.type].flat()
  if (types.includes('string') && !types.includes('null')) return text
  const isNested = form === 'xml' && types.some(type => type === 'object' || type === 'array')
  const value = isNested ? elementsIn(written) : undefined
  return value ?? parsed(text, types) ?? text
}

function plainText(written: string, form: Form): string {
  if (form === 'line') return written.replace(/^\r?\n/, '').replace(/\r?\n[ \t]*$/, '')
  const [, inside = written] = /^\r?\n([\s\S]*?)\r?\n[ \t]*$/.exec(written) ?? []
  const isEscaped = form === 'xml' && !/[<>]|&(?!(?:lt|gt|amp|quot|apos);)/.test(inside)
  return isEscaped
    ? inside.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '')
    : inside
}

/** `undefined` if it is a text. A number that is none is a text too. */
function parsed(written: string, types: readonly unknown[]): unknown {
  const text = written.trim()
  const isConstant = Object.hasOwn(WORDS, text)
  const value = isConstant
    ? WORDS[text]
    : (parseExactJson(text) ?? (/^[[{]/.test(text) ? readLiteral(text) : undefined))
  if (value === null) return types.includes('null') || types[0] === undefined ? null : undefined
  return typeof value === 'number' && !Number.isFinite(value) ? undefined : value
}

/** The value of elements in each other: an object of them, or a list of those that have one name. `undefined` if text stands between. */
function elementsIn(text: string): unknown {
  const members: [string, unknown][] = []
  const element = /\s*<([\w-]+)>([\s\S]*?)<\/\1>\s*/y
  do {
    const [, key = '', inside = ''] = element.exec(text) ?? []
    if (key === '') return undefined
    members.push([key, elementsIn(inside) ?? memberValue(inside, undefined, 'xml')])
  } while (element.lastIndex < text.length)
  const isList = members.every(([key]) => key === 'item')
  return isList ? members.map(([, value]) => value) : Object.fromEntries(members)
}

/** If a model quotes all its texts as JSON does, the quotes are no part of them. */
function withoutQuotes(
  members: readonly (readonly [string, unknown])[],
): readonly (readonly [string, unknown])[] {
  const unquoted = members.map(([key, value]) => {
    const inside = typeof value === 'string' && /^\s*"/.test(value) ? parseExactJson(value.trim()) : undefined
    return [key, typeof value === 'string' ? inside : value] as const
  })
  return unquoted.every(([, value]) => value !== undefined) ? unquoted : members
}
