import { readArithmetic } from './arithmetic.ts'
import { bodiesOf, wantsValueOnly } from './courtesies.ts'
import { readSearch } from './searches.ts'
import { readTimeQuestion } from './times.ts'

/** One question, as a tool call. */
export interface Question {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** Answer with the bare result only. */
  readonly valueOnly?: true
  /** The task names the tool and its arguments: answer with the result verbatim. */
  readonly isAsTold?: true
}

/** Longest text to read; questions that need no language model are shorter. */
const MAX_LENGTH = 4000
const MAX_QUESTIONS = 12
const MAX_PIECES = 100
/** Longest calculation, as in the calculator, and longest other question. */
const [MAX_QUESTION, MAX_WORDING] = [1000, 300]
/** Most pieces per question. */
const MOST_PIECES = 24
/** Bounds the characters examined over all attempts; a dozen questions in one sentence need about half. */
const MOST_WORK = 20_000
/** An opening quotation mark never follows a letter or digit. */
const QUOTED = /(?<![a-z\d])(["“'])([^"“”']*)(?:["”]|'(?![a-z\d]))/gi
/** Possible boundaries between questions. */
const END = /(?<=[?!;\n])\s*(?![?!;\s])|(?<=[.,])\s+|\s+(?=(?:and|then|also|plus)\b|& )/i

/**
 * Reads the questions in a text that tools alone can answer: arithmetic, times and dates, web searches.
 *
 * @returns the questions in order, or `undefined` if any part of the text needs a language model
 * @example
 * readQuestions('What is 15% of 240?') // [{ tool: 'calculator', args: { expression: '15% of 240' } }]
 */
export function readQuestions(text: string): readonly Question[] | undefined {
  const { questions } = readText(text)
  if (!questions || questions.length === 0 || questions.length > MAX_QUESTIONS) return undefined
  return wantsValueOnly(text) ? questions.map(one => ({ ...one, valueOnly: true })) : questions
}

/** The first part of a text that cannot be read, to the end of its sentence; empty if the text is too long. */
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

/** Reads all questions; `furthest` is the index of the first piece that could not be read. */
function readText(typed: string) {
  const unread = { pieces: [] as string[], questions: undefined, furthest: 0 }
  if (typed.length > MAX_LENGTH) return unread
  const pieces = typed
    .replace(/[’‘]/g, "'")
    .replace(/[ \u00a0\t\r]+/g, ' ')
    .split(END)
    .filter(piece => piece !== '')
  if (pieces.length > MAX_PIECES) return unread
  const known = new Map<number, readonly Question[] | undefined>()
  let [work, furthest] = [0, 0]

  /** Reads from one piece to the end of the text. */
  const readFrom = (start: number): readonly Question[] | undefined => {
    if (!known.has(start)) known.set(start, readNext(start))
    return known.get(start)
  }

  /** Prefers the longest question whose rest is readable too, but the shortest search. */
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

/** Reads one question without its courtesies; empty if the text is nothing but courtesies. */
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
    // Any left after a digit mean feet and inches.
    .replace(/(?<!\d)["”]|[“`]|(?<![\d)])\*\*|\*\*(?![\d(])|(?<![a-z\d])'|(?<!\d)'(?![a-z\d])/gi, ' ')
    .replace(/\s+/g, ' ')
    .replace(/[ .,;:]+$/, '')
    .trim()
  const time = isShort && readTimeQuestion(plain.replace(/[ .,?!]+$/, ''))
  if (time) return { tool: 'time', args: time }
  const expression = readArithmetic(plain)
  return expression === undefined ? undefined : { tool: 'calculator', args: { expression } }
}
