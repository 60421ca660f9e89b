import { parseJson } from '@agent-task-service/wire/untrusted'
import { withMathAsText } from './math-text.ts'
import { type Block, MAX_PAGE_TEXT } from './passages.ts'
import { plainLine } from './plain-text.ts'
import { named } from './structured-data.ts'

/** A script that gives its state a name: `window.__INITIAL_STATE__ = {…}`, `var data = JSON.parse("…")`. */
const ASSIGNMENT =
  /(?:(?:window|self|globalThis)(?:\.|\[["'])|\b(?:var|let|const)\s+)[\w$]{1,80}(?:["']\])?\s{0,9}=\s{0,9}(?:JSON\.parse\(\s{0,9})?(?=[{["'])/g
/** A string may lack its end: then it is all the rest. */
const TOKEN = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[{}[\]]/gs
/** Longest JSON that is parsed, in characters: it takes thirty times as much memory, or more. */
const MAX_JSON = 1_000_000
const MAX_ITEMS = 5_000
const MAX_DEPTH = 24
const MAX_NODES = 20_000
const MAX_BLOCKS = 2_000
const MAX_VALUE = 20_000
const TITLE = /^(?:title|name|headline)$/
/** Addresses, paths, colours and keys: no text. */
const NO_TEXT = /^(?:https?:|data:|\/|#|\.)\S*$|^(?=\D*\d)[\w+/=-]{20,}$|^[^\p{L}\p{N}]*$/u

/** The texts in the JSON from which a page's scripts would make it, for a page that has hardly any of its own. */
export function stateBlocks(scripts: readonly string[], isTimeUp: () => boolean): Block[] {
  const reader = new StateReader(isTimeUp)
  for (const script of scripts) {
    if (isTimeUp()) break
    for (const value of valuesIn(script)) reader.read(value, '', 0)
  }
  return reader.blocks
}

/** The values in a script: it is JSON, or assigns some. */
function* valuesIn(script: string): Iterable<unknown> {
  if (/^\s*[{[]/.test(script)) {
    yield parsed(script)
    return
  }
  ASSIGNMENT.lastIndex = 0
  while (ASSIGNMENT.test(script)) {
    const start = ASSIGNMENT.lastIndex
    const end = endOfValue(script, start)
    if (end === undefined) return
    yield parsed(script.slice(start, end))
    ASSIGNMENT.lastIndex = end
  }
}

/** Where a value ends, by its strings and brackets. */
function endOfValue(script: string, start: number): number | undefined {
  let depth = 0
  TOKEN.lastIndex = start
  for (let token = TOKEN.exec(script); token; token = TOKEN.exec(script)) {
    if (token[0] === '{' || token[0] === '[') depth += 1
    else if (token[0] === '}' || token[0] === ']') depth -= 1
    if (depth <= 0) return TOKEN.lastIndex
  }
  return undefined
}

/** A value, or the value whose JSON a string holds; `undefined` of a script's own notation. */
function parsed(text: string): unknown {
  if (text.length > MAX_JSON) return undefined
  const inside = text.slice(1, -1).replaceAll("\\'", "'")
  const json = text.startsWith("'") ? `"${inside.replace(/(?<!\\)"/g, '\\"')}"` : text
  const value = parseJson(json.includes('undefined') ? withoutUndefined(json) : json)
  return typeof value === 'string' ? parseJson(value) : value
}

/** Serializers for scripts write `undefined`, which JSON lacks. */
function withoutUndefined(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"?|\bundefined\b/gs, token => (token === 'undefined' ? 'null' : token))
}

class StateReader {
  readonly blocks: Block[] = []
  readonly #isTimeUp: () => boolean
  #nodes = 0
  #length = 0

  constructor(isTimeUp: () => boolean) {
    this.#isTimeUp = isTimeUp
  }

  /** @param outer the heading of what the value is part of */
  read(value: unknown, outer: string, depth: number): void {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH || this.#isFull()) return
    const isList = Array.isArray(value)
    const members = isList
      ? value.slice(0, MAX_ITEMS).map(member => ['', member] as const)
      : Object.entries(value).filter(([key]) => !key.startsWith('_'))
    const title = members.find(([key, member]) => TITLE.test(key) && typeof member === 'string')
    const heading = this.#wordsOf(title?.[1]).slice(0, 150)
    const texts = members.map(([key, member]) => {
      if (key === title?.[0]) return ''
      const words = this.#wordsOf(member)
      return isList ? words : named(key, words, ': ')
    })
    this.#add(heading || outer, texts.filter(Boolean).join(isList ? '; ' : '\n'))
    if (heading !== '' && texts.every(text => text === '')) this.#add(outer, heading)
    for (const [, member] of members) this.read(member, heading || outer, depth + 1)
  }

  #add(heading: string, text: string): void {
    if (text !== '') this.blocks.push({ heading, text })
  }

  #isFull(): boolean {
    this.#nodes += 1
    if (this.#nodes > MAX_NODES || this.#length > MAX_PAGE_TEXT || this.blocks.length >= MAX_BLOCKS)
      return true
    return this.#nodes % 100 === 0 && this.#isTimeUp()
  }

  #wordsOf(value: unknown): string {
    if ((typeof value !== 'string' && typeof value !== 'number') || this.#length > MAX_PAGE_TEXT) return ''
    const text = `${value}`.slice(0, MAX_VALUE)
    this.#length += text.length
    return NO_TEXT.test(text) ? '' : plainLine(withMathAsText(text), MAX_VALUE)
  }
}
