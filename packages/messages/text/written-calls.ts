import type { OfferedTools } from '../offered-tools.ts'
import { callsInBody, unfenced, type WrittenCall } from './call-bodies.ts'
import { readChannels } from './channels.ts'
import { codeIn } from './code-in.ts'
import { inAscii, patternOf, TEMPLATES, type Template, withAsciiTokens } from './templates.ts'
import { withoutTurnEnd } from './turn-ends.ts'
import { looksLikeJsonCall, wholeCalls } from './whole-calls.ts'

export type { WrittenCall }

/** What the end of a reply turned out to be. */
export interface EndOfText {
  readonly answer: string
  readonly reasoning?: string
  readonly calls: readonly WrittenCall[]
  /** The tool named by what has the shape of a call and cannot be read, or "" if it names none; absent if there is none. */
  readonly unreadCall?: string | undefined
}

/**
 * Reads the end of a reply: all of it from the first token on that a model's template has for calls or for the end of a turn.
 *
 * @param before the answer before it
 */
export function readEnd(before: string, text: string, tools: OfferedTools): EndOfText {
  const isAll = before.trim() === ''
  const channels = isAll ? readChannels(text, tools) : undefined
  if (channels) return ofOffered(channels, text, tools)
  const answer = withoutTurnEnd(before, text)
  if (tools.names.length === 0) return { answer, calls: [] }
  const calls = isAll ? wholeCalls(answer, tools) : undefined
  if (calls) return { answer: '', calls }
  const inside = isAll && isFenced(answer) ? new Sections('', unfenced(answer), tools).read() : undefined
  if (inside?.calls.length) return inside
  if (isAll && looksLikeJsonCall(answer)) return { answer, calls: [], unreadCall: tools.namedIn(answer) }
  return new Sections(before, answer, tools).read()
}

/** Whether a text is nothing but one block of code. */
function isFenced(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.startsWith('```') && trimmed.indexOf('```', 3) === trimmed.length - 3
}

/** What channels say where one of their calls is of an offered tool, or none is made. */
function ofOffered(channels: EndOfText, text: string, tools: OfferedTools): EndOfText {
  const { calls, answer } = channels
  if (calls.length === 0 || calls.some(({ name }) => tools.find(name))) return channels
  const isOffered = tools.names.length > 0
  return { ...channels, answer: answer || text, calls: [], ...(isOffered && { unreadCall: '' }) }
}

/** How a section begins that has the shape of a call. */
const SHAPE = /^\s*(?:[{[<]|```|[\w.:-]+\s*(?:[({<[]|Action Input:))/
/** What is left of a call that was cut before its arguments. */
const CUT_IN_NAME = /^[\w.:-]*$/
/** Longest line that is searched for the end of a sentence, in characters. */
const MAX_LINE = 200
/** How many tokens are looked at: each costs as much as the text is long. No reply makes as many calls. */
const MAX_OPENINGS = 128
/** A token that begins a line may be the first of the text. */
const OPENINGS = new RegExp(
  TEMPLATES.map(({ opens }) => patternOf(opens).replace(/^\n/, '(?:^|\\n)')).join('|'),
  'g',
)
/** What the tokens of templates leave of a list of calls. */
const CLOSINGS = TEMPLATES.flatMap(({ closes }) => (closes === undefined || closes === '```' ? [] : [closes]))

interface Opening {
  readonly template: Template
  readonly start: number
  /** Behind the token. */
  readonly inside: number
}

/** The sections between the tokens of templates: calls, or text that speaks of them. */
class Sections {
  readonly #before: string
  readonly #text: string
  readonly #ascii: string
  readonly #tools: OfferedTools
  #code: ((at: number) => boolean) | undefined
  readonly #calls: WrittenCall[] = []
  #unreadCall: string | undefined
  #answer = ''
  /** Up to where the text is in the answer, or is none of it. */
  #taken = 0

  constructor(before: string, text: string, tools: OfferedTools) {
    this.#before = before
    this.#text = text
    this.#ascii = inAscii(text)
    this.#tools = tools
  }

  read(): EndOfText {
    let at = 0
    for (let count = 0; count < MAX_OPENINGS; count += 1) {
      const opening = this.#openingFrom(at)
      if (!opening) break
      at = this.#readSection(opening)
    }
    if (this.#calls.length === 0) return { answer: this.#text, calls: [], unreadCall: this.#unreadCall }
    this.#drop(this.#text.length, this.#text.length)
    const answer = CLOSINGS.reduce((text, token) => text.replaceAll(token, ''), withAsciiTokens(this.#answer))
    return { answer: answer.trim() === '' ? '' : answer, calls: this.#calls }
  }

  #isCode(at: number): boolean {
    this.#code ??= codeIn(this.#before + this.#text)
    return this.#code(this.#before.length + at)
  }

  #openingFrom(from: number): Opening | undefined {
    OPENINGS.lastIndex = from
    const found = OPENINGS.exec(this.#ascii)
    const token = found?.[0].trimStart()
    const template = TEMPLATES.find(({ opens }) => opens.trimStart() === token)
    if (!found || !template) return undefined
    return { template, start: found.index, inside: found.index + found[0].length }
  }

  /** @returns where to look for the next one */
  #readSection(opening: Opening): number {
    const { start, inside } = opening
    if (this.#isCode(start)) return inside
    if (this.#isAround(opening)) {
      this.#drop(start, inside)
      return inside
    }
    const { body, end } = this.#bounds(opening)
    if (this.#isWithinSentence(start, end) || this.#isShown(opening, end)) return inside
    const calls = callsInBody(body, this.#tools)
    if (!calls) {
      if (this.#hasShapeOfCall(opening, body, end)) this.#unreadCall ??= this.#tools.namedIn(body)
      return inside
    }
    this.#calls.push(...calls)
    const after = this.#text.slice(end)
    this.#drop(start, end + after.length - after.trimStart().length)
    return end
  }

  /** Whether a section at the end of the reply looks like a call: by what stands in it, or by a token that nobody writes else. */
  #hasShapeOfCall({ template: { opens }, start }: Opening, body: string, end: number): boolean {
    const isCutInName =
      /^(?:<\||\[)/.test(opens) && CUT_IN_NAME.test(body.trim()) && !this.#isBehindWords(start)
    const isCode = opens.startsWith('```') && this.#tools.namedIn(body) !== ''
    const isBlank = body.trim() === '' && !this.#isBehindWords(start)
    return (SHAPE.test(body) || isCutInName || isCode || isBlank) && this.#isLast(end)
  }

  /** Whether nothing stands behind it but what closes a list, another call, or what a model says while it waits. */
  #isLast(end: number): boolean {
    if (this.#openingFrom(end) !== undefined) return true
    const after = this.#text.slice(end, end + 2 * MAX_LINE)
    const said = CLOSINGS.reduce((text, token) => text.replaceAll(token, ''), after)
    return said.length <= MAX_LINE
  }

  /** Whether it is code with text behind it: an example. */
  #isShown({ template: { opens } }: Opening, end: number): boolean {
    return opens.startsWith('```') && /^\s*[\p{L}\p{N}]/u.test(this.#text.slice(end, end + MAX_LINE))
  }

  /** Whether nothing stands in it but others, as in a list of calls. */
  #isAround({ template, inside }: Opening): boolean {
    const next = this.#openingFrom(inside)
    return (
      next !== undefined &&
      next.template.opens !== template.opens &&
      this.#text.slice(inside, next.start).trim() === ''
    )
  }

  /** What stands in a section, and where it ends: at its token, at the next one like it, or with the reply. */
  #bounds({ template: { opens, closes = '' }, start, inside }: Opening): {
    readonly body: string
    readonly end: number
  } {
    const close = closes === '' ? -1 : this.#ascii.indexOf(closes, inside)
    const again = this.#ascii.indexOf(opens, inside)
    const stop = close >= 0 ? close : again >= 0 ? again : this.#text.length
    // Some tokens are the beginning of what they announce.
    const from = /[="]$/.test(opens) ? start : opens.endsWith('[') ? inside - 1 : inside
    const body = withAsciiTokens(this.#text.slice(from, stop))
    return {
      body: opens.endsWith(' ') ? withoutAttributes(body) : body,
      end: close >= 0 ? close + closes.length : stop,
    }
  }

  /** Leaves a part of the text out of the answer. */
  #drop(start: number, end: number): void {
    this.#answer += this.#text.slice(this.#taken, start)
    this.#taken = end
  }

  /** Whether words stand before it that end no sentence, and others follow on its line. */
  #isWithinSentence(start: number, end: number): boolean {
    const [line = ''] = this.#text.slice(end, end + MAX_LINE).split('\n')
    return this.#isBehindWords(start) && /^\s*[\p{L}\p{N}]/u.test(line)
  }

  #isBehindWords(start: number): boolean {
    const lead = (this.#before + this.#text.slice(0, start)).slice(-MAX_LINE)
    const line = lead.slice(lead.lastIndexOf('\n') + 1).trimEnd()
    return /[\p{L}\p{N},]/u.test(line.at(-1) ?? '')
  }
}

/** What stands in an element whose tag has attributes, behind the name among them. */
function withoutAttributes(text: string): string {
  const end = text.indexOf('>')
  const [, name = ''] = /\bname="([^"]*)"/.exec(text.slice(0, end)) ?? []
  return `${name} ${text.slice(end + 1)}`
}

/**
 * Whether the end of a section for reasoning, whose beginning did not come, ends reasoning that began with the reply. Within
 * a sentence or code it is text that speaks of it.
 *
 * @param opens the token that begins such a section
 */
export function endsReasoning(before: string, opens: string, after: string): boolean {
  if (before.includes(opens) || codeIn(`${before} `)(before.length)) return false
  const last = before.at(-1) ?? '\n'
  // On a line of its own, behind a sentence, or behind a word at the end of a line.
  const isBehindSentence = /[\n.!?…。！？:)\]}]/.test(last)
  return isBehindSentence || (/[\p{L}\p{N}]/u.test(last) && /^[ \t]*(?:\n|$)/.test(after))
}
