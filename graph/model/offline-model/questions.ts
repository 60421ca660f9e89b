import { calculations } from './calculations.ts'
import { skipLeads, skipTrails } from './courtesies.ts'
import { phrase } from './phrase.ts'
import { searchRules, searchSlots } from './search-phrases.ts'
import type { Found } from './text.ts'
import { Text } from './text.ts'
import { timeRules, timeSlots } from './time-phrases.ts'

/** One thing that is asked, as the call of the tool that serves it. */
export interface Question {
  /** Its name. */
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  /** The answer should be the bare result. */
  readonly valueOnly?: true
}

/** Longest text that is read; a question that needs no language model is shorter. */
const MAX_LENGTH = 4000
const MAX_QUESTIONS = 12

type Finder = (text: Text, at: number) => readonly Found<Question>[]

const searches = searchRules.map((notation): Finder => {
  const find = phrase(notation, searchSlots)
  return (text, at) =>
    find(text, at).map(({ end, value: [query] }) => ({ end, value: { tool: 'web_search', args: { query } } }))
})
const times = timeRules.map(([notation, read]): Finder => {
  const find = phrase(notation, timeSlots)
  return (text, at) =>
    find(text, at).flatMap(({ end, value }) => {
      const args = read(...(value as never[]))
      return args ? [{ end, value: { tool: 'time', args } as const }] : []
    })
})
const sums: Finder = (text, at) =>
  calculations(text, at).map(({ end, value }) => ({
    end,
    value: { tool: 'calculator', args: { expression: value } },
  }))

/**
 * Reads what a text asks, where tools alone can answer it: arithmetic, times and dates, web searches.
 *
 * @returns the questions in order, or `undefined` where any part of the text needs a language model
 */
export function readQuestions(text: string): readonly Question[] | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const source = new Text(text)
  const read = readFrom(source, 0, 0)
  if (!read || source.isSpent() || read.questions.length === 0) return undefined
  return read.valueOnly ? read.questions.map(one => ({ ...one, valueOnly: true })) : read.questions
}

interface Reading {
  readonly questions: readonly Question[]
  readonly valueOnly: boolean
}

/** Reads question after question to the end of the text; `undefined` where that does not come out. */
function readFrom(text: Text, at: number, count: number): Reading | undefined {
  const starts = skipLeads(text, at)
  const last = starts.at(-1)!
  if (last.end === text.plain.length) return { questions: [], valueOnly: last.valueOnly }
  if (count === MAX_QUESTIONS) return undefined
  const candidates = starts.flatMap(({ end, valueOnly }) =>
    readQuestion(text, end).map(found => ({ ...found, valueOnly })),
  )
  for (const { end, value, valueOnly } of candidates.sort(byPreference)) {
    const trail = skipTrails(text, end)
    const rest = trail && text.once(readFrom, trail.end, () => readFrom(text, trail.end, count + 1))
    if (trail && rest)
      return {
        questions: [value, ...rest.questions],
        valueOnly: valueOnly || trail.valueOnly || rest.valueOnly,
      }
  }
  return undefined
}

function readQuestion(text: Text, at: number): Found<Question>[] {
  return [...searches, ...times, sums].flatMap(find => find(text, at))
}

/** The longest first; but a search ends where other questions begin. */
function byPreference(a: Found<Question>, b: Found<Question>): number {
  const [first, second] = [a, b].map(({ value }) => value.tool === 'web_search')
  if (first !== second) return first ? -1 : 1
  return first ? a.end - b.end : b.end - a.end
}
