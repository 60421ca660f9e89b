import { Asked } from '../asked.ts'
import type { OfferedTools } from '../offered-tools.ts'
import type { WrittenCall, WrittenRules } from '../written-call.ts'
import { beginsLikeCall, mayBeginCall } from './call-starts.ts'
import { codeIn } from './code-in.ts'
import { readEnd } from './end-of-text.ts'
import { inAscii, type Mark, markAt, marksFrom, nextMark, withPlainMarks } from './marks.ts'
import { isUnclear, thoughtsBeginning } from './thoughts.ts'
import { turnStartOf } from './turns.ts'

/** Longest mark, and longest beginning of an answer, that is compared with those of calls, in characters. */
const MAX_START = 100
/** What a text has in which a mark may begin that is looked for. */
const MAY_BEGIN = /[<[{`\n◁\]｜▁]/
const STARTS = /[<[{`]|\](?=<|$)|\n/g

const ALL: WrittenRules = { accepts: () => true }

/** What else is known of a reply. */
export interface KnownOfReply {
  readonly asked?: Asked | undefined
  /** Whether its thoughts came apart from its text. */
  readonly hasThoughts?: boolean | undefined
}

/**
 * Splits a model's text, as it arrives, into the answer, reasoning at its start, and tool calls that were written instead of
 * being made. From the first mark on that may begin a call or end the turn, the text is held until the reply has ended.
 */
export class TextReader {
  readonly #tools: OfferedTools
  readonly #asked: Asked
  #state: 'start' | 'reasoning' | 'answer' | 'held' = 'start'
  /** What has come and is not yet certain. */
  #waiting = ''
  /** White space before it, at the start: part of the answer, unless it is behind a token. */
  #space = ''
  /** What the piece that is read has made certain. */
  #certain = ''
  /** The pieces of what is held, apart, since joining each with what came before takes time. */
  #held: string[] = []
  /** The answer so far. */
  #said: string[] = []
  #reasoning = ''
  #closing: readonly string[] = []
  #isBehindToken = false
  /** Whether its thoughts have ended: what speaks of their end later is text. */
  #hasClosed: boolean
  #isInAnswer = false
  #length = 0
  /** How much of what was given as the answer turned out to be reasoning, in characters. */
  answerStartsAt = 0
  /** Calls that were written, once the reply has ended. */
  calls: readonly WrittenCall[] = []
  /** The tool named by what has the shape of a call and cannot be read, or "" if it names none; absent if there is none. */
  unreadCall: string | undefined

  constructor(tools: OfferedTools, { hasThoughts = false, asked = new Asked() }: KnownOfReply = {}) {
    this.#tools = tools
    this.#asked = asked
    this.#hasClosed = hasThoughts
  }

  /** Whether text has come that is kept until the reply has ended. */
  get isHolding(): boolean {
    return this.#state === 'held'
  }

  /** @returns the text that certainly belongs to the answer */
  add(piece: string): string {
    if (this.#state === 'held') {
      this.#held.push(piece)
      return ''
    }
    if (this.#state === 'answer' && this.#waiting === '' && !MAY_BEGIN.test(piece)) return this.#say(piece)
    this.#waiting += piece
    this.#certain = ''
    while (this.#readOn());
    return this.#certain
  }

  /**
   * @param isCut whether the reply ended before the model had finished
   * @returns the rest of the answer
   */
  end(rules: WrittenRules = ALL, isCut = false): string {
    const rest = this.#held.join('') + this.#space + this.#waiting
    this.#waiting = ''
    if (this.#state === 'reasoning') {
      this.#reasoning += rest
      return ''
    }
    return this.#readEnd(rest, rules, isCut)
  }

  /** @returns the reasoning since the last call */
  takeReasoning(): string {
    const reasoning = this.#reasoning
    this.#reasoning = ''
    return reasoning
  }

  #readEnd(rest: string, rules: WrittenRules, isCut: boolean): string {
    // Nearly all replies: nothing is held, and nothing stands in the rest.
    if (rest === '' || (this.#state === 'answer' && !MAY_BEGIN.test(rest))) return rest
    // Some families wrap each mark, that of thoughts too.
    const plain = this.#state === 'held' ? withPlainMarks(rest) : rest
    if (this.#said.length === 0 && plain !== rest && thoughtsBeginning(plain.trimStart()))
      return this.#readAnew(plain, rules, isCut)
    const close = this.#lastCloseIn(plain)
    if (!close) return this.#readCalls(rest, rules, isCut)
    this.#reasoning += plain.slice(0, close.start)
    this.#beginAnew()
    return this.#readAnew(plain.slice(close.end).trimStart(), rules, isCut)
  }

  #readCalls(rest: string, rules: WrittenRules, isCut: boolean): string {
    const end = readEnd(this.#said.join(''), rest, this.#tools, { asked: this.#asked, max: rules.max })
    const { answer, text, reasoning = '', calls, how, unreadCall } = end
    const isRefused = (calls.length > 0 || unreadCall !== undefined) && !rules.accepts(calls, how)
    // Who is asked about calls may answer with one.
    if (isRefused || (calls.length === 0 && answer !== text && this.#asked.speaksOfCalls)) return text
    const open = isCut ? calls.find(({ isClosed }) => !isClosed) : undefined
    this.unreadCall = open?.name ?? unreadCall
    if (open) return ''
    this.#reasoning += reasoning
    this.calls = calls
    return this.#isInAnswer ? withoutAnswerEnd(answer) : answer
  }

  #readAnew(text: string, rules: WrittenRules, isCut: boolean): string {
    this.#held = []
    this.#space = ''
    this.#state = 'start'
    return this.add(text) + this.end(rules, isCut)
  }

  /** Reads what waits, up to the next state. @returns whether more of it may be certain */
  #readOn(): boolean {
    if (this.#state === 'start') return this.#readStart()
    if (this.#state === 'reasoning') return this.#readReasoning()
    return this.#state === 'answer' && this.#waiting !== '' && this.#readAnswer()
  }

  /** Passes control tokens and reasoning, up to the answer. @returns whether it is clear how the text goes on */
  #readStart(): boolean {
    const text = this.#waiting.trimStart()
    if (!this.#isBehindToken) this.#space += this.#waiting.slice(0, this.#waiting.length - text.length)
    this.#waiting = text
    if (text === '') return false
    const head = inAscii(text.slice(0, MAX_START))
    if (isUnclear(head)) return false
    const thoughts = thoughtsBeginning(head)
    const passed = thoughts?.length ?? this.#passedAt(head)
    if (passed === undefined) return false
    if (passed > 0) {
      this.#waiting = text.slice(passed)
      this.#space = ''
      this.#isBehindToken = true
      if (thoughts) this.#closing = thoughts.closes
      if (thoughts) this.#state = 'reasoning'
      return true
    }
    const likeness = beginsLikeCall(head, this.#tools)
    if (likeness === 'perhaps' && text.length < MAX_START) return false
    this.#waiting = this.#space + text
    this.#space = ''
    if (likeness === 'yes') this.#hold(this.#waiting)
    else this.#state = 'answer'
    return true
  }

  /** How much at the start says nothing, in characters; `undefined` if more must come. */
  #passedAt(head: string): number | undefined {
    const start = turnStartOf(head, this.#asked)
    if (start !== 0) return start
    const mark = markAt(head, 0)
    const isThought = mark?.kind === 'thought' && mark.isClosing
    const isAnswer = mark?.kind === 'answer' && !mark.isClosing && (mark.isToken || this.#isAnswerMark(mark))
    if (isAnswer) {
      this.#hasClosed = true
      this.#isInAnswer ||= !mark.isToken
    }
    return isThought || isAnswer ? mark.end : 0
  }

  /** Behind thoughts, `<answer>` is a mark, unless the task speaks of it. */
  #isAnswerMark({ word }: Mark): boolean {
    return this.#hasClosed && word === 'answer' && !this.#asked.names('answer>')
  }

  #readReasoning(): boolean {
    const ascii = inAscii(this.#waiting)
    const found = firstIn(ascii, this.#closing)
    if (!found)
      return this.#think(ascii.length - Math.max(...this.#closing.map(token => overlap(ascii, token))), 0)
    this.#state = 'start'
    this.#isBehindToken = true
    this.#hasClosed = true
    return this.#think(found.at, found.token.length)
  }

  /** Takes what waits as reasoning, up to an end that is so long. @returns whether there is one */
  #think(end: number, length: number): boolean {
    this.#reasoning += this.#waiting.slice(0, end)
    this.#waiting = this.#waiting.slice(end + length)
    return length > 0
  }

  #readAnswer(): boolean {
    const ascii = inAscii(this.#waiting)
    STARTS.lastIndex = 0
    for (let found = STARTS.exec(ascii); found; found = STARTS.exec(ascii)) {
      const { index: at } = found
      const head = ascii.slice(at, at + MAX_START)
      const mark = markAt(head, 0)
      if (mark && this.#mayEndThoughts(mark)) return this.#readClose(ascii, at, mark)
      const likeness = this.#isAnswerEnd(mark) ? 'yes' : mayBeginCall(head, mark, this.#tools)
      if (likeness === 'no' || (likeness === 'perhaps' && head.length === MAX_START)) continue
      this.#sayUpTo(at)
      if (likeness === 'yes') this.#hold(this.#waiting)
      return false
    }
    this.#sayUpTo(ascii.length)
    return false
  }

  #isAnswerEnd(mark: Mark | undefined): boolean {
    return this.#isInAnswer && mark?.kind === 'answer' && mark.isClosing
  }

  /** Whether a mark ends thoughts whose beginning did not come. */
  #mayEndThoughts({ kind, isClosing, isToken, word }: Mark): boolean {
    const isAnswer = kind === 'answer' && isToken && !isClosing && word.startsWith('final')
    return !this.#hasClosed && ((kind === 'thought' && isClosing) || isAnswer)
  }

  /** Reads the end of a section for reasoning whose beginning did not come. */
  #readClose(ascii: string, at: number, mark: Mark): boolean {
    const end = at + mark.end
    // What is behind it tells whether it is one.
    if (end === ascii.length) {
      this.#sayUpTo(at)
      return false
    }
    const before = this.#said.join('') + this.#waiting.slice(0, at)
    if (endsThoughts(before, ascii.slice(end))) {
      this.#sayUpTo(at)
      this.#waiting = this.#waiting.slice(mark.end)
      this.#beginAnew()
    } else {
      this.#hasClosed = true
      this.#sayUpTo(end)
    }
    return true
  }

  /** What came so far was reasoning. */
  #beginAnew(): void {
    this.answerStartsAt = this.#length
    this.#said = []
    this.#hasClosed = true
    this.#isBehindToken = true
    this.#state = 'start'
  }

  #lastCloseIn(rest: string): { readonly start: number; readonly end: number } | undefined {
    if (this.#hasClosed) return undefined
    const ascii = inAscii(rest)
    const last = [...marksFrom(ascii, 0)].findLast(mark => this.#mayEndThoughts(mark))
    if (!last) return undefined
    const before = this.#said.join('') + rest.slice(0, last.start)
    return endsThoughts(before, ascii.slice(last.end)) ? last : undefined
  }

  #hold(text: string): void {
    this.#held.push(text)
    this.#waiting = ''
    this.#state = 'held'
  }

  #sayUpTo(end: number): void {
    this.#certain += this.#say(this.#waiting.slice(0, end))
    this.#waiting = this.#waiting.slice(end)
  }

  #say(text: string): string {
    this.#said.push(text)
    this.#length += text.length
    return text
  }
}

/** A letter of a script that puts blanks between words. */
const LETTER = /[[\p{N}\p{L}]--[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]]$/v
const SENTENCE_END = /[\n.!?…。！？:)\]}]$/

/**
 * Whether the end of a section for reasoning, whose beginning did not come, ends reasoning that began with the reply: directly
 * behind a word or a sentence. Between blanks and in code, it is text that speaks of it.
 */
function endsThoughts(before: string, after: string): boolean {
  if (nextMark(inAscii(before), 0, ({ kind, isClosing }) => kind === 'thought' && !isClosing)) return false
  if (codeIn(`${before} `)(before.length)) return false
  if (before.trim() === '' || SENTENCE_END.test(before) || LETTER.test(before)) return true
  return /\s$/.test(before) && !/^(?:[\s.,;:!?)]|$)/.test(after)
}

function firstIn(text: string, tokens: readonly string[]): { at: number; token: string } | undefined {
  const found = tokens.map(token => ({ at: text.indexOf(token), token })).filter(({ at }) => at >= 0)
  return found.sort((one, other) => one.at - other.at)[0]
}

/** How many characters at the end of the text may start a token. */
function overlap(text: string, token: string): number {
  for (let length = Math.min(token.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(token.slice(0, length))) return length
  return 0
}

function withoutAnswerEnd(text: string): string {
  const end = '</answer>'
  const trimmed = text.trimEnd()
  return trimmed.endsWith(end) ? trimmed.slice(0, -end.length).trimEnd() : text
}
