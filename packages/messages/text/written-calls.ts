import { endOfJson, parseExactJson } from '@agent-task-service/wire/untrusted'
import type { OfferedTools } from '../offered-tools.ts'
import type { WrittenCall } from '../written-call.ts'
import { argumentsAt, skip } from './call-arguments.ts'
import { mayBecomeName } from './call-starts.ts'
import { callsInValue } from './json-calls.ts'
import { readLiteral } from './literals.ts'
import { type Mark, markAt, nextMark } from './marks.ts'

/** Calls next to each other, and where they end. */
interface Section {
  readonly calls: readonly WrittenCall[]
  readonly end: number
}

/** Levels of lists of calls. */
const MAX_LEVELS = 4
/** A call's name where only a name can stand: behind an opening mark, or before arguments. */
const NAME = /(?:call:|(?:functions?|tools?)[:]\s*)?([\p{L}_][\p{L}\p{N}_.:/-]{0,200})/uy
const BETWEEN = /[\s,;]*/y
/** The end of a fence before the next one. */
const FENCE_END = /```\s*(?=```)/y
/** DeepSeek puts the kind of tool before its name. */
const KIND_OF_TOOL = /function(?=<\|tool_sep\|>)/y
/** Marks behind which a name comes, or another one of them. */
const BEFORE_NAME: ReadonlySet<Mark['kind']> = new Set(['call', 'separator', 'name'])
/** Python keeps a result, and prints it: `sum = print(add(1, 2))`, `print(sum)`. */
const KEPT = /(?:[A-Za-z_]\w*\s*=\s*)?(?:print\s*\(\s*)?(?=[A-Za-z_][\w.]*\s*\()/y
const PRINTED = /\s*print\(\w*\)/y

/** Reads the calls that stand behind an opening mark, in order. A name is read in a name's place only. */
export class CallReader {
  readonly #text: string
  readonly #tools: OfferedTools
  readonly #max: number
  /** Words of the marks that say that it is a call. */
  readonly #opened = new Set<string>()
  #at = 0
  #calls: WrittenCall[] = []

  /**
   * @param text with plain marks
   * @param max how many calls are read; the rest is passed over
   */
  constructor(text: string, tools: OfferedTools, max = Number.POSITIVE_INFINITY) {
    this.#text = text
    this.#tools = tools
    this.#max = max
  }

  /** The calls between a mark and its end; `undefined` if they cannot be read, or something else stands between. */
  readMarked(opening: Mark): Section | undefined {
    this.#at = opening.end
    this.#calls = []
    this.#opened.clear()
    if (!this.#readList(opening, 1) || this.#calls.length === 0) return undefined
    if (opening.word === 'calling tool') this.#skip(/\s*\]/y)
    const next = nextMark(this.#text, this.#at, ({ kind }) => kind === 'call')
    const isOver = !next?.isClosing || next.word !== opening.word
    return isOver ? { calls: this.#calls, end: this.#at } : undefined
  }

  /** The calls with which a text begins that has no mark before them. */
  readBare(): Section | undefined {
    this.#at = 0
    this.#calls = []
    while (this.#at < this.#text.length) {
      const before = this.#calls.length
      if (!this.#readBody()) return undefined
      this.#readEnds()
      this.#skip(BETWEEN)
      this.#skip(FENCE_END)
      if (this.#calls.length === before) break
    }
    return this.#calls.length > 0 ? { calls: this.#calls, end: this.#at } : undefined
  }

  /** Whether all behind a mark is the beginning of an offered tool's name: a call that was cut off. */
  isCutInName(opening: Mark): boolean {
    let mark: Mark | undefined = opening
    while (mark && BEFORE_NAME.has(mark.kind) && !mark.isClosing) {
      this.#at = mark.end
      this.#skip(/\s*/y)
      this.#skip(KIND_OF_TOOL)
      mark = markAt(this.#text, this.#at)
    }
    const rest = this.#text.slice(this.#at)
    return rest !== '' && mayBecomeName(rest, this.#tools)
  }

  /** Reads calls until something else comes. @returns whether there is one */
  #readList(opening: Mark, level: number): boolean {
    if (level > MAX_LEVELS) return false
    this.#opened.add(opening.word)
    if (opening.name !== undefined) return this.#readCall(opening.name)
    const before = this.#calls.length
    while (this.#readNext(level));
    if (this.#calls.length === before) return false
    this.#readEnds()
    return true
  }

  /** Reads a call, a list of calls, or what stands between them; else it stays where it is. @returns whether it has */
  #readNext(level: number): boolean {
    const start = this.#at
    const count = this.#calls.length
    if (count >= this.#max) return false
    this.#skip(BETWEEN)
    const mark = markAt(this.#text, this.#at)
    if (mark?.kind === 'separator' || (mark?.kind === 'call' && !mark.isClosing)) {
      this.#at = mark.end
      if (mark.kind === 'separator' || this.#readList(mark, level + 1)) return true
    } else if (this.#at < this.#text.length && (this.#skip(/```\w+/y) || this.#readBody())) return true
    this.#at = start
    this.#calls.length = count
    return false
  }

  /** One call or a list, as JSON, as code, or as a name with its arguments. */
  #readBody(): boolean {
    this.#skip(/\s*(?:```\w*\s*)?/y)
    if (this.#skip(KIND_OF_TOOL)) return true
    const mark = markAt(this.#text, this.#at)
    if (mark?.kind === 'name') return this.#readNamed(mark)
    const first = this.#text[this.#at]
    if (first === '{' || first === '[') return this.#readValue() || (first === '[' && this.#readCodeList())
    return this.#readCode()
  }

  /** `<tool_name>calculator</tool_name>` */
  #readNamed({ end }: Mark): boolean {
    const closing = nextMark(this.#text, end)
    if (closing?.kind !== 'name') return false
    this.#at = closing.end
    return this.#readCall(this.#text.slice(end, closing.start))
  }

  #readValue(): boolean {
    const end = endOfJson(this.#text, this.#at)
    const closing = () =>
      nextMark(this.#text, this.#at, ({ kind, isClosing }) => kind === 'call' && isClosing)?.start
    return (end !== undefined && this.#readValueUpTo(end)) || this.#readValueUpTo(closing())
  }

  #readValueUpTo(end: number | undefined): boolean {
    const calls = end && callsInValue(mended(this.#text.slice(this.#at, end)), this.#tools)
    if (!calls) return false
    this.#calls.push(...calls.slice(0, this.#max))
    this.#at = end
    // A bracket too many.
    this.#skip(/(?:\s*[}\]])*/y)
    this.#readEnds()
    return true
  }

  /** `[calculator(expression="6*7"), time()]` */
  #readCodeList(): boolean {
    this.#at += 1
    for (;;) {
      this.#skip(BETWEEN)
      if (this.#text[this.#at] === ']') {
        this.#at += 1
        this.#readEnds()
        return true
      }
      if (!this.#readCode()) return false
    }
  }

  /** `calculator(expression="6*7")`, `calculator {"expression": "6*7"}`, `call:calculator{expression:6*7}` */
  #readCode(): boolean {
    const start = this.#at
    this.#skip(KEPT)
    const isPrinted = this.#text.slice(start, this.#at).includes('print')
    const name = this.#readName()
    if (name === undefined || !this.#readCall(name)) return false
    if (isPrinted) this.#skip(/\s*\)/y)
    while (this.#skip(PRINTED));
    return true
  }

  #readName(): string | undefined {
    NAME.lastIndex = this.#at
    const [whole = '', name] = NAME.exec(this.#text) ?? []
    this.#at += whole.length
    // Gemma's, of which a server has dropped the tokens.
    if (whole.startsWith('call:')) this.#opened.add('call')
    return name?.replace(/\.call$/, '')
  }

  #readCall(written: string): boolean {
    const tool = this.#tools.find(written.trim())
    const found = argumentsAt(this.#text, this.#at, tool, this.#opened)
    if (!found) return false
    this.#at = found.end
    const isClosed = this.#readEnds() || found.isBalanced
    // More may be missing.
    if (!isClosed) return false
    this.#calls.push({ name: tool?.name ?? written.trim(), args: found.args, isClosed })
    return true
  }

  /** Reads what ends a call. @returns whether anything does */
  #readEnds(): boolean {
    const start = this.#at
    for (;;) {
      const at = skip(this.#text, this.#at, /\s*(?:```\s*)?/y)
      const mark = markAt(this.#text, at)
      const isEnd = mark && (mark.kind === 'turn' || (mark.isClosing && mark.kind !== 'thought'))
      if (!isEnd) break
      this.#at = mark.end
    }
    return this.#at > start
  }

  /** @returns whether anything was skipped */
  #skip(pattern: RegExp): boolean {
    const at = skip(this.#text, this.#at, pattern)
    const hasSkipped = at > this.#at
    this.#at = at
    return hasSkipped
  }
}

/** JSON, or what models make of it: with Python's quotes, in braces of a template, with its last brace forgotten. */
function mended(written: string): unknown {
  const text = written.trim()
  const bare = text.startsWith('{{') && text.endsWith('}}') ? text.slice(1, -1) : text
  return parseExactJson(text) ?? parseExactJson(bare) ?? readLiteral(text) ?? parseExactJson(`${text}}`)
}
