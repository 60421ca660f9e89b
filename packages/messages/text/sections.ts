import type { OfferedTools } from '../offered-tools.ts'
import { MAX_CALLS, type Written, type WrittenCall } from '../written-call.ts'
import { codeIn } from './code-in.ts'
import { type Mark, nextMark, withoutMarks } from './marks.ts'
import { CallReader } from './written-calls.ts'

/** What a text is read as. */
export interface TextReading {
  readonly answer: string
  readonly reasoning?: string
  readonly calls: readonly WrittenCall[]
  readonly how: Written
  /** The tool named by what has the shape of a call and cannot be read, or "" if it names none; absent if there is none. */
  readonly unreadCall?: string | undefined
}

/** Longest line that is searched for the end of a sentence, in characters. */
const MAX_LINE = 200
/** How arguments begin. */
const BEGUN = /[{(]|<\/?[|]?(?:arg|param)/
/** Sections that cannot be read are looked at so often: each may cost as much as the text is long. */
const MAX_UNREAD = 8

/** The sections of a text that marks begin: calls, or text that speaks of them. */
export class Sections {
  readonly #before: string
  readonly #text: string
  readonly #tools: OfferedTools
  readonly #max: number
  readonly #reader: CallReader
  #code: ((at: number) => boolean) | undefined
  readonly #calls: WrittenCall[] = []
  #areLast = false
  #unreadCall: string | undefined
  #unread = 0
  #answer = ''
  /** Up to where the text is in the answer, or is none of it. */
  #taken = 0

  /**
   * @param before the answer before the text
   * @param max how many calls are read; the rest is left out
   */
  constructor(before: string, text: string, tools: OfferedTools, max = MAX_CALLS) {
    this.#before = before
    this.#text = text
    this.#tools = tools
    this.#max = max
    this.#reader = new CallReader(text, tools, max)
  }

  read(): TextReading {
    let at = 0
    while (this.#unread < MAX_UNREAD) {
      const mark = nextMark(this.#text, at, ({ kind }) => kind === 'call' || kind === 'result')
      if (!mark) break
      at = this.#isCode(mark.start) ? mark.end : this.#readSection(mark)
    }
    this.#drop(this.#text.length, this.#text.length)
    const how = { areMarked: true, areLast: this.#areLast }
    if (this.#calls.length === 0)
      return { answer: this.#answer, calls: [], how, unreadCall: this.#unreadCall }
    const answer = withoutMarks(this.#answer, ({ kind }) => kind === 'call')
    return { answer: answer.trim() === '' ? '' : answer, calls: this.#calls, how }
  }

  #isCode(at: number): boolean {
    this.#code ??= codeIn(this.#before + this.#text)
    return this.#code(this.#before.length + at)
  }

  /** @returns where to look for the next one */
  #readSection(mark: Mark): number {
    // What a model makes up in place of a tool is left, without its marks.
    if (mark.kind === 'result' && mark.isToken) this.#drop(mark.start, mark.end)
    if (mark.kind === 'result' || mark.isClosing) return mark.end
    const section = this.#reader.readMarked(mark)
    if (!section) return this.#passOver(mark)
    const { calls, end } = section
    const hasArguments = calls.some(({ args }) => args !== '{}')
    const isOffered = calls.some(({ name }) => this.#tools.find(name))
    if (!isOffered && !hasArguments) return this.#passOver(mark, end)
    // A call of a tool that is not offered stays text.
    if (!isOffered && this.#isLast(end)) this.#unreadCall ??= ''
    if (!isOffered) return end
    if (this.#isWithinSentence(mark.start, end, hasArguments)) return end
    if (this.#calls.length < this.#max) this.#calls.push(...calls)
    this.#areLast = this.#text.slice(end).trim() === ''
    this.#dropWithSpace(mark.start, end)
    return end
  }

  /**
   * Text that speaks of calls stays; what stands between marks and is no call is none of the answer.
   *
   * @param end of what could be read
   */
  #passOver(mark: Mark, end = 0): number {
    this.#unread += 1
    const { stop, isClosed } = this.#endOf(mark)
    const until = Math.max(stop, end)
    if (this.#isSpokenOf(mark, isClosed ? until : mark.end)) return mark.end
    const body = this.#text.slice(mark.end, until)
    const name = this.#tools.namedIn(this.#text.slice(mark.start, until))
    // What looks like another call may stand within an argument of this one.
    const isBegun = BEGUN.test(body) || this.#reader.isCutInName(mark)
    if (name !== '' || mark.name !== undefined || isBegun) return this.#giveUp(mark, name)
    if (!isClosed && end === 0 && body.trim() !== '' && this.#calls.length === 0) return mark.end
    if (this.#isLast(until)) this.#unreadCall ??= ''
    this.#dropWithSpace(mark.start, until)
    return until
  }

  /** Nothing is read behind a call that cannot be read. */
  #giveUp(mark: Mark, name: string): number {
    const end = this.#text.length
    if (!this.#isLast(this.#endOf(mark).stop)) return end
    this.#unreadCall = name
    this.#drop(mark.start, end)
    return end
  }

  /** Where a section that cannot be read ends: at its mark, at the next one like it, or with the reply. */
  #endOf({ word, end }: Mark): { readonly stop: number; readonly isClosed: boolean } {
    const next = nextMark(this.#text, end, mark => mark.kind === 'call' && mark.word === word)
    if (next?.isClosing) return { stop: next.end, isClosed: true }
    return { stop: next?.start ?? this.#text.length, isClosed: false }
  }

  /** Whether nothing stands behind it but another call, or what a model says while it waits. */
  #isLast(end: number): boolean {
    const isOpening = ({ kind, isClosing }: Mark) => kind === 'call' && !isClosing
    return this.#text.length - end <= MAX_LINE || nextMark(this.#text, end, isOpening) !== undefined
  }

  #dropWithSpace(start: number, end: number): void {
    const after = this.#text.slice(end, end + MAX_LINE)
    this.#drop(start, end + after.length - after.trimStart().length)
  }

  /** Leaves a part of the text out of the answer. */
  #drop(start: number, end: number): void {
    if (start > this.#taken) this.#answer += this.#text.slice(this.#taken, start)
    this.#taken = Math.max(end, this.#taken)
  }

  /** Whether it is an example behind a colon, or a part of a sentence. */
  #isSpokenOf({ start }: Mark, end: number): boolean {
    return /:\s+$/.test(this.#lead(start)) || this.#isWithinSentence(start, end, true)
  }

  /** Whether words stand before it that end no sentence, or it is a name alone, and others follow on its line. */
  #isWithinSentence(start: number, end: number, hasArguments: boolean): boolean {
    const [rest = ''] = this.#text.slice(end, end + MAX_LINE).split('\n')
    const lead = this.#lead(start)
    const line = lead.slice(lead.lastIndexOf('\n') + 1)
    if (line.trim() === '') return !hasArguments && /^\s+\p{L}/u.test(rest)
    return /[\p{L}\p{N},]\s+$/u.test(line) && /^(?:\s*[,;:.)])?\s+[\p{L}\p{N}]/u.test(rest)
  }

  /** The end of what stands before. */
  #lead(start: number): string {
    const within = this.#text.slice(Math.max(0, start - MAX_LINE), start)
    return (this.#before + within).slice(-MAX_LINE)
  }
}
