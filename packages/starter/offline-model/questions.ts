import { isObject, parseJson } from '@agent-task-service/wire/untrusted'
import { readArithmetic } from './arithmetic.ts'
import { readTimeQuestion } from './times.ts'

/** One question, as a tool call. */
export interface Question {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** Longest text and longest question, in characters, and most questions. */
const [MAX_TEXT, MAX_QUESTION, MOST_QUESTIONS] = [4000, 500, 12]
/** A task that names one tool, and its longest text, in characters. */
const MAX_REQUEST = 20_000
const REQUEST = /^use (?:the tool )?[`"]?([\w-]{1,64})[`"]? with (\{.*\})\.?$/is

/** Asks for the bare result of a calculation. */
const VALUE_ONLY = /\b(?:answer|reply) with (?:only |just )?the number(?: only)?\b/i
/** Where one question ends and the next begins. */
const BOUNDARY =
  /[?;\n]|, and |(?: and|\.) (?=(?:what|how|when|calculate|compute|convert|round|search|answer|reply)\b)/i

const SEARCH = /^search the web for (?:"([^"]+)"|([^",:!]+))$/i
/** More than a search: work on its results or on the task itself. */
const MORE_THAN_SEARCH = /\. |\b(?:and|then|this|these|above|below|following|my)\b/i

/**
 * Reads the questions in a text that tools alone can answer: arithmetic, times and dates, web searches.
 *
 * @returns the questions in order, or the first part of the text that cannot be read
 * @example
 * await readQuestions('What is 15% of 240?') // [{ tool: 'calculator', args: { expression: '15% of 240' } }]
 */
export async function readQuestions(text: string): Promise<readonly Question[] | { unread: string }> {
  if (text.length > MAX_TEXT) return { unread: text }
  const pieces = text
    .replace(VALUE_ONLY, '')
    .replace(/’/g, "'")
    .replace(/[^\S\n]+/g, ' ')
    .split(BOUNDARY)
    .map(piece => piece.replace(/^ | ?[.=]? ?$/g, ''))
    .filter(Boolean)
  const questions: Question[] = []
  for (const piece of pieces) {
    const question = await readQuestion(piece)
    if (!question) return { unread: questions.length > 0 ? piece : text }
    if (questions.push(question) > MOST_QUESTIONS) return { unread: piece }
  }
  const isReadable = !wantsValueOnly(text) || questions.every(({ tool }) => tool === 'calculator')
  return isReadable && questions.length > 0 ? questions : { unread: text }
}

async function readQuestion(typed: string): Promise<Question | undefined> {
  if (typed.length > MAX_QUESTION) return undefined
  const text = typed.replace(/^please /i, '').replace(/^what's /i, 'what is ')
  const query = readSearch(text)
  if (query !== undefined) return { tool: 'web_search', args: { query } }
  const time = await readTimeQuestion(text)
  if (time) return { tool: 'time', args: { ...time } }
  const expression = readArithmetic(text)
  return expression === undefined ? undefined : { tool: 'calculator', args: { expression } }
}

function readSearch(text: string): string | undefined {
  const [, quoted, plain = ''] = SEARCH.exec(text) ?? []
  return quoted ?? (plain === '' || MORE_THAN_SEARCH.test(plain) ? undefined : plain)
}

/** Whether the text asks for the bare result only. */
export function wantsValueOnly(text: string): boolean {
  return VALUE_ONLY.test(text)
}

/**
 * Reads a task that names a tool and its arguments as JSON: `Use text_stats with {"text": "To be or not"}`. This way
 * a tool can be tried without a language model to choose it. Below a blank line may stand what the tool finds by itself.
 * Or each line names one, below a heading if the first ends in a colon: they are done one after another.
 *
 * @returns none if the task reads otherwise
 */
export function readToolRequests(text: string): readonly Question[] {
  const end = text.search(/\S\n\n/)
  const only = requestIn(text) ?? (end < 0 ? undefined : requestIn(text.slice(0, end + 1)))
  if (only) return [only]
  const lines = text.trim().split('\n')
  const named = lines[0]!.endsWith(':') ? lines.slice(1) : lines
  const requests = named.slice(0, MOST_QUESTIONS).flatMap(line => requestIn(line) ?? [])
  return requests.length === named.length ? requests : []
}

function requestIn(text: string): Question | undefined {
  if (text.length > MAX_REQUEST) return undefined
  const [, tool, json] = REQUEST.exec(text.trim()) ?? []
  if (tool === undefined || json === undefined) return undefined
  const args = parseJson(json)
  return isObject(args) ? { tool, args } : undefined
}
