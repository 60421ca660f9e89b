import { readArithmetic } from './arithmetic.ts'
import { bodiesOf, wantsValueOnly } from './courtesies.ts'
import { readSearch } from './searches.ts'
import { readTimeQuestion } from './times.ts'

/** One thing that is asked, as the call of the tool that serves it. */
export interface Question {
  /** Its name. */
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** The answer should be the bare result. */
  readonly valueOnly?: true
  /** The task names the tool and its arguments: the answer is the result as it is. */
  readonly isAsTold?: true
}

/** Longest text that is read; a question that needs no language model is shorter. */
const MAX_LENGTH = 4000
const MAX_QUESTIONS = 12
const MAX_PIECES = 100
/** Longest question, as the calculator takes it, and longest one that is no calculation. */
const [MAX_QUESTION, MAX_WORDING] = [1000, 300]
/** How many pieces one question may have. */
const MOST_PIECES = 24
/** Most characters that all attempts together look at; a dozen questions in one sentence take about half. */
const MOST_WORK = 20_000
/** A quotation opens after no letter and no digit. */
const QUOTED = /(?<![a-z\d])(["“'])([^"“”']*)(?:["”]|'(?![a-z\d]))/gi
/** Where one question may end and the next begin. */
const END = /(?<=[?!;\n])\s*(?![?!;\s])|(?<=[.,])\s+|\s+(?=(?:and|then|also|plus)\b|& )/i

/**
 * Reads what a text asks, where tools alone can answer it: arithmetic, times and dates, web searches.
 *
 * @returns the questions in order, or `undefined` where any part of the text needs a language model
 * @example
 * readQuestions('What is 15% of 240?') // [{ tool: 'calculator', args: { expression: '15% of 240' } }]
 */
export function readQuestions(text: string): readonly Question[] | undefined {
  const { questions } = readText(text)
  if (!questions || questions.length === 0 || questions.length > MAX_QUESTIONS) return undefined
  return wantsValueOnly(text) ? questions.map(one => ({ ...one, valueOnly: true })) : questions
}

/** The part of a text at which its reading fails, up to the end of its sentence; empty where there is too much to read. */
export function unreadPart(text: string): string {
  const { pieces, questions, furthest } = readText(text)
  if (questions && questions.length > MAX_QUESTIONS) return ''
  const last = pieces.findIndex((piece, at) => at >= furthest && /[.?!;\n]\s*$/.test(piece))
  return pieces
    .slice(furthest, last < 0 ? undefined : last + 1)
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/^(?:(?:and|then|also|plus|&) )+/i, '')
    .trim()
}

interface Reading {
  readonly pieces: readonly string[]
  readonly questions: readonly Question[] | undefined
  /** The piece up to which all could be read. */
  readonly furthest: number
}

function readText(typed: string): Reading {
  const unread = { pieces: [], questions: undefined, furthest: 0 }
  if (typed.length > MAX_LENGTH) return unread
  const pieces = typed
    .replace(/[’‘]/g, "'")
    .replace(/[ \u00a0\t\r]+/g, ' ')
    .split(END)
    .filter(piece => piece !== '')
  if (pieces.length > MAX_PIECES) return unread
  const known = new Map<number, readonly Question[] | undefined>()
  let [work, furthest] = [0, 0]

  /** All from one piece to the end of the text. */
  const readFrom = (start: number): readonly Question[] | undefined => {
    if (!known.has(start)) known.set(start, readNext(start))
    return known.get(start)
  }

  /** The longest question that leaves a rest which can be read; but a search ends where other questions begin. */
  const readNext = (start: number): readonly Question[] | undefined => {
    furthest = Math.max(furthest, start)
    if (start === pieces.length) return []
    const whole = pieces.findIndex((piece, at) => at >= start && /[?;\n]\s*$/.test(piece))
    const most = Math.min(start + MOST_PIECES, whole < 0 ? pieces.length : whole + 1)
    const searches: { end: number; found: readonly Question[] }[] = []
    for (let end = most; end > start; end--) {
      const text = pieces.slice(start, end).join(' ')
      work += text.length
      const found = work > MOST_WORK ? undefined : readOne(text)
      if (found?.[0]?.tool === 'web_search') searches.unshift({ end, found })
      else if (found) {
        const rest = readFrom(end)
        if (rest) return [...found, ...rest]
      }
    }
    for (const { end, found } of searches) {
      const rest = readFrom(end)
      if (rest) return [...found, ...rest]
    }
    return undefined
  }
  return { questions: readFrom(0), pieces, furthest: Math.min(furthest, pieces.length - 1) }
}

/** One question in its courtesies; none where it holds nothing else. */
function readOne(text: string): readonly Question[] | undefined {
  if (text.length > MAX_QUESTION) return undefined
  for (const body of bodiesOf(text)) {
    if (!/[\p{L}\p{N}]/u.test(body)) return []
    const question = readQuestion(body)
    if (question) return [question]
  }
  return undefined
}

function readQuestion(body: string): Question | undefined {
  const isShort = body.length <= MAX_WORDING
  const query = isShort && readSearch(body.replace(/[\s.,?!]+$/, ''))
  if (query) return { tool: 'web_search', args: { query } }
  const plain = body
    .replace(QUOTED, ' $2 ')
    .replace(/(?<!\d'[ \d./]{0,9})["”](?=[\s?=.!]*$)/, ' ')
    // What is left of them beside a digit are feet and inches.
    .replace(/(?<!\d)["”]|[“`]|(?<![\d)])\*\*|\*\*(?![\d(])|(?<![a-z\d])'|(?<!\d)'(?![a-z\d])/gi, ' ')
    .replace(/\s+/g, ' ')
    .replace(/[ .,;:]+$/, '')
    .trim()
  const time = isShort && readTimeQuestion(plain.replace(/[ .,?!]+$/, ''))
  if (time) return { tool: 'time', args: time }
  const expression = readArithmetic(plain)
  return expression === undefined ? undefined : { tool: 'calculator', args: { expression } }
}
