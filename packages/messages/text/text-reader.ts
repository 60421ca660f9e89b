import type { OfferedTools } from '../offered-tools.ts'
import { inAscii, patternOf, REASONING, TEMPLATES, TURN_ENDS, TURN_STARTS } from './templates.ts'
import { beginsLikeCall } from './whole-calls.ts'
import { endsReasoning, readEnd, type WrittenCall } from './written-calls.ts'

/** Longest beginning of an answer that is compared with those of calls, in characters. */
const MAX_START = 100
/** Longest token that may come in pieces, in characters. */
const MAX_TOKEN = 40

const CLOSES = REASONING.map(({ closes }) => closes)
const STARTS = [...TURN_STARTS, ...REASONING.map(({ opens }) => opens)]

/** What a text has in which such a token stands. */
const MAY_HAVE = /[<[◁]|```|\nA|fu/

/** The tokens at which the answer stops being certain. */
class Tokens {
  readonly #all: readonly string[]
  readonly #pattern: RegExp

  constructor(tokens: readonly string[]) {
    this.#all = tokens
    this.#pattern = new RegExp(tokens.map(patternOf).join('|'))
  }

  /** The first one in a text. */
  find(text: string): { readonly at: number; readonly token: string } | undefined {
    // Most texts have none, and this is soon told.
    const found = MAY_HAVE.test(text) ? this.#pattern.exec(text) : undefined
    return found ? { at: found.index, token: found[0] } : undefined
  }

  /** Where one may begin that has not come whole; the text's length if none may. */
  unfinishedIn(text: string): number {
    const from = Math.max(0, text.length - MAX_TOKEN)
    const end = text.slice(from)
    const last = end.lastIndexOf('<')
    // Some tokens begin with another one.
    const starts = [
      end.lastIndexOf('<', last - 1),
      last,
      ...['[', '\n', '◁', 'f'].map(each => end.lastIndexOf(each)),
    ]
    const isStart = (at: number) => at >= 0 && this.#all.some(token => token.startsWith(end.slice(at)))
    const found = [...starts, end.search(/`+\w*$/)].filter(isStart)
    return found.length === 0 ? text.length : from + Math.min(...found)
  }
}

const ALWAYS = new Tokens([...CLOSES, ...TURN_ENDS, '<|channel|>'])
const WITH_TOOLS = new Tokens([...CLOSES, ...TURN_ENDS, ...TEMPLATES.map(({ opens }) => opens)])
/** What a piece has in which one begins. */
const MAY_BEGIN = /[<[`\n◁｜▁]|f(?:u|$)/

/**
 * Splits a model's text, as it arrives, into the answer, reasoning at its start, and tool calls that were written instead of
 * being made. From the first token on that may begin a call or end the turn, the text is held until the reply has ended.
 */
export class TextReader {
  readonly #tools: OfferedTools
  readonly #tokens: Tokens
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
  #closing = ''
  #isBehindToken = false
  #hasClosed = false
  #length = 0
  /** How much of what was given as the answer turned out to be reasoning, in characters. */
  answerStartsAt = 0
  /** Calls that were written, once the reply has ended. */
  calls: readonly WrittenCall[] = []
  /** The tool named by what has the shape of a call and cannot be read, or "" if it names none; absent if there is none. */
  unreadCall: string | undefined

  constructor(tools: OfferedTools) {
    this.#tools = tools
    this.#tokens = tools.names.length > 0 ? WITH_TOOLS : ALWAYS
  }

  /** Whether text has come that is kept until the reply has ended. */
  get isHolding(): boolean {
    return this.#state === 'held'
  }

  /** Whether the answer has begun. */
  get hasSaid(): boolean {
    return this.#said.some(text => text.trim() !== '')
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

  /** @returns the rest of the answer */
  end(): string {
    const rest = this.#held.join('') + this.#space + this.#waiting
    this.#waiting = ''
    if (this.#state === 'reasoning') {
      this.#reasoning += rest
      return ''
    }
    return this.#readEnd(rest)
  }

  /** Looks for calls in reasoning, for a reply that has nothing else. */
  readCallsIn(reasoning: string): void {
    this.calls = readEnd('', reasoning, this.#tools).calls
  }

  /** @returns the reasoning since the last call */
  takeReasoning(): string {
    const reasoning = this.#reasoning
    this.#reasoning = ''
    return reasoning
  }

  #readEnd(rest: string): string {
    // Nearly all replies: nothing is held, and nothing stands in the rest.
    if (rest === '' || (this.#state === 'answer' && !MAY_HAVE.test(rest))) return rest
    const close = this.#lastCloseIn(rest)
    if (close) {
      this.#reasoning += rest.slice(0, close.start)
      this.#beginAnew()
      return this.#readEnd(rest.slice(close.end).trimStart())
    }
    const { answer, reasoning = '', calls, unreadCall } = readEnd(this.#said.join(''), rest, this.#tools)
    this.#reasoning += reasoning
    this.calls = calls
    this.unreadCall = unreadCall
    return answer
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
    const ascii = inAscii(text)
    const start = STARTS.find(token => ascii.startsWith(token))
    if (start !== undefined) {
      this.#waiting = text.slice(start.length)
      this.#space = ''
      this.#isBehindToken = true
      const section = REASONING.find(({ opens }) => opens === start)
      if (section) {
        this.#closing = section.closes
        this.#state = 'reasoning'
      }
      return true
    }
    if (STARTS.some(token => token.startsWith(ascii))) return false
    const likeness = beginsLikeCall(ascii.slice(0, MAX_START), this.#tools)
    if (likeness === 'perhaps' && text.length < MAX_START) return false
    this.#waiting = this.#space + text
    this.#space = ''
    if (likeness === 'yes') this.#hold(this.#waiting)
    else this.#state = 'answer'
    return true
  }

  #readReasoning(): boolean {
    const ascii = inAscii(this.#waiting)
    const at = ascii.indexOf(this.#closing)
    const end = at < 0 ? ascii.length - overlap(ascii, this.#closing) : at
    this.#reasoning += this.#waiting.slice(0, end)
    this.#waiting = this.#waiting.slice(at < 0 ? end : at + this.#closing.length)
    if (at < 0) return false
    this.#state = 'start'
    this.#isBehindToken = true
    this.#hasClosed = true
    return true
  }

  #mayEndReasoning(token: string): boolean {
    return !this.#hasClosed && CLOSES.some(close => close === token)
  }

  #readAnswer(): boolean {
    const ascii = inAscii(this.#waiting)
    const found = this.#tokens.find(ascii)
    if (!found) {
      this.#sayUpTo(this.#tokens.unfinishedIn(ascii))
      return false
    }
    const { at, token } = found
    if (this.#mayEndReasoning(token)) return this.#readClose(ascii, at, token)
    if (CLOSES.some(close => close === token)) this.#sayUpTo(at + token.length)
    else {
      this.#sayUpTo(at)
      this.#hold(this.#waiting)
    }
    return true
  }

  /** Reads the end of a section for reasoning whose beginning did not come. */
  #readClose(ascii: string, at: number, token: string): boolean {
    const end = at + token.length
    // What is behind it tells whether it is one.
    if (!isFollowed(ascii.slice(end))) {
      this.#sayUpTo(at)
      return false
    }
    const before = this.#said.join('') + this.#waiting.slice(0, at)
    if (endsReasoning(before, opensOf(token), ascii.slice(end))) {
      this.#sayUpTo(at)
      this.#waiting = this.#waiting.slice(token.length)
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
    const [last] = CLOSES.map(token => ({ token, start: ascii.lastIndexOf(token) })).sort(
      (one, other) => other.start - one.start,
    )
    if (!last || last.start < 0) return undefined
    const { token, start } = last
    const end = start + token.length
    const isEnd = endsReasoning(this.#said.join('') + rest.slice(0, start), opensOf(token), rest.slice(end))
    return isEnd ? { start, end } : undefined
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

/** Whether more than a few blanks has come. */
function isFollowed(text: string): boolean {
  return text.length > MAX_TOKEN || /[^ \t]/.test(text)
}

/** The token that begins the section which this one ends. */
function opensOf(closing: string): string {
  return REASONING.find(({ closes }) => closes === closing)?.opens ?? closing
}

/** How many characters at the end of the text may start a token. */
function overlap(text: string, token: string): number {
  for (let length = Math.min(token.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(token.slice(0, length))) return length
  return 0
}
