import { isObject, parseJson } from '../../json.ts'
import { readArithmetic } from './arithmetic.ts'
import { bodiesOf } from './courtesies.ts'
import { readSearch } from './searches.ts'
import { readTimeQuestion } from './times.ts'

/** One question, as a tool call. */
export interface Question {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** Longest text, and longest question, in characters; most questions, and most pieces of one question. */
const [MAX_TEXT, MAX_QUESTION, MOST_QUESTIONS, MOST_PIECES] = [4000, 1000, 12, 24]
/** A task that names one tool, and its longest text, in characters. */
const MAX_REQUEST = 20_000
const REQUEST =
  /^(?:please\s+)?(?:use|call|run)\s+(?:the\s+)?(?:tool\s+)?[`"']?([\w-]{1,64})[`"']?(?:\s+tool)?(?:\s+with)?:?\s*(\{.*\})[.!]?$/is
/** Bounds the characters examined over all attempts; a dozen questions in one sentence need about half. */
const MOST_WORK = 20_000
/** Possible boundaries between questions. */
const BOUNDARY = /(?<=[?!;\n])\s*(?![?!;\s])|(?<=[.,])\s+|\s+(?=(?:and|then|also|plus)\b|& )/i

/**
 * Reads the questions in a text that tools alone can answer: arithmetic, times and dates, web searches.
 *
 * @returns the questions in order, or the part of the text that cannot be read
 * @example
 * await readQuestions('What is 15% of 240?') // [{ tool: 'calculator', args: { expression: '15% of 240' } }]
 */
export async function readQuestions(text: string): Promise<readonly Question[] | { unread: string }> {
  if (text.length > MAX_TEXT) return { unread: `${text.slice(0, 20)}…` }
  const pieces = text
    .replace(/[’‘]/g, "'")
    .replace(/[ \u00a0\t\r]+/g, ' ')
    .split(BOUNDARY)
    .filter(piece => piece !== '')
  const questions: Question[] = []
  const work = { left: MOST_WORK }
  for (let start = 0; start < pieces.length; ) {
    const found = await readLongest(pieces, start, work)
    if (!found || questions.length === MOST_QUESTIONS) return { unread: pieces.slice(start).join(' ').trim() }
    if (found.question) questions.push(found.question)
    start = found.end
  }
  return questions.length > 0 ? questions : { unread: text }
}

/** The longest run of pieces that is one question, or none but courtesies. */
async function readLongest(pieces: readonly string[], start: number, work: { left: number }) {
  const last = pieces.findIndex((piece, at) => at >= start && /[?;\n]\s*$/.test(piece))
  const most = Math.min(last < 0 ? pieces.length : last + 1, start + MOST_PIECES)
  for (let end = most; end > start; end--) {
    const text = pieces.slice(start, end).join(' ').trim()
    if (text.length > MAX_QUESTION) continue
    for (const body of bodiesOf(text)) {
      work.left -= body.length
      if (work.left < 0) return undefined
      if (!/[\p{L}\p{N}]/u.test(body)) return { question: undefined, end }
      const question = await readQuestion(body)
      if (question) return { question, end }
    }
  }
  return undefined
}

async function readQuestion(body: string): Promise<Question | undefined> {
  const query = readSearch(body.replace(/[\s.,?!]+$/, ''))
  if (query) return { tool: 'web_search', args: { query } }
  const plain = body
    .replace(/"([^"]*)"/g, ' $1 ')
    .replace(/[`“”]|\*\*(?=\D|$)/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^ |[ .,;:]+$/g, '')
  const time = await readTimeQuestion(plain.replace(/[ .,?!]+$/, ''))
  if (time) return { tool: 'time', args: { ...time } }
  const expression = await readArithmetic(plain)
  return expression === undefined ? undefined : { tool: 'calculator', args: { expression } }
}

/**
 * Reads a task that names one tool and its arguments as JSON: `Use text_stats with {"text": "To be or not"}`. This way
 * a tool can be tried without a language model to choose it.
 */
export function readToolRequest(text: string): Question | undefined {
  if (text.length > MAX_REQUEST) return undefined
  const [, tool, json] = REQUEST.exec(text.trim()) ?? []
  if (tool === undefined || json === undefined) return undefined
  const args = parseJson(json)
  return isObject(args) ? { tool, args } : undefined
}
