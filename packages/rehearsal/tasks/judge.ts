import { describeValue } from '@agent-task-service/wire/contract'
import { truncate } from '@agent-task-service/wire/untrusted'
import { parseJson } from '../json.ts'
import { clockIn, numbersIn, secondOfDay, timesIn, touches } from './numbers-and-times.ts'
import { type Expectation, misfit } from './task.ts'

/** The reply as received, whatever it is. */
export interface ReceivedAnswer {
  readonly status?: unknown
  readonly output?: unknown
  readonly error?: unknown
}

/** When the run was requested and when its answer arrived. */
export interface When {
  readonly from: Date
  readonly to: Date
}

/** Tolerance for rounding errors, unless the task names one. */
const ROUNDING = 1e-9
/** With the mark of the cut. */
const SHOWN = 201

/**
 * Judges an answer.
 *
 * @returns what is wrong with it, one sentence each, `expected …, got …`; empty if it is right
 */
export function judge(
  expected: Expectation,
  { status, output, error }: ReceivedAnswer,
  when: When,
): string[] {
  if (status !== expected.status) {
    const reason = typeof error === 'string' && error !== '' ? `: ${preview(error)}` : ''
    return [`expected the status "${expected.status}", got ${describeValue(status)}${reason}`]
  }
  const text = typeof output === 'string' ? output : ''
  const unmet = [
    ...unmetTexts(expected, text),
    ...unmetNumbers(expected, text),
    ...unmetTimes(expected, text, when),
    ...unmetSchema(expected, text),
  ]
  return unmet.map(what => `expected ${what}, got ${preview(output)}`)
}

function* unmetTexts({ equals, contains, pattern }: Expectation, text: string): Iterable<string> {
  if (equals !== undefined && text.trim() !== equals.trim()) yield `the text ${JSON.stringify(equals)}`
  const lacks = (part: string) => !text.toLowerCase().includes(part.toLowerCase())
  if (contains && 'any' in contains) {
    if (contains.any.every(lacks)) yield `one of ${listed(contains.any)}`
  } else if (contains) yield* contains.all.filter(lacks).map(part => `the text ${JSON.stringify(part)}`)
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) yield `a text that matches /${pattern}/u`
}

function* unmetNumbers({ number = [] }: Expectation, text: string): Iterable<string> {
  const numbers = number.length > 0 ? numbersIn(text) : []
  for (const { value, absolute, relative } of number) {
    const tolerance = Math.max(absolute ?? 0, Math.abs(value) * Math.max(relative ?? 0, ROUNDING))
    if (numbers.some(stated => Math.abs(stated - value) <= tolerance)) continue
    const isExact = absolute === undefined && relative === undefined
    yield `the number ${value}${isExact ? '' : ` ± ${tolerance}`}`
  }
}

function* unmetTimes({ time = [] }: Expectation, text: string, when: When): Iterable<string> {
  const times = time.length > 0 ? timesIn(text) : []
  for (const one of time) {
    const { start, length, words } = spanOf(one, when)
    if (!times.some(stated => touches(stated, start, length))) yield words
  }
}

function* unmetSchema({ json }: Expectation, text: string): Iterable<string> {
  if (json === undefined) return
  const value = parseJson(text)
  const why = value === undefined ? 'it is no JSON' : misfit(json, value)
  if (why !== '') yield `JSON that fits the schema (${why})`
}

/** The times of day that an expected time allows. */
function spanOf(
  time: NonNullable<Expectation['time']>[number],
  { from, to }: When,
): { start: number; length: number; words: string } {
  const { within_sec: tolerance } = time
  if ('at' in time) {
    const [hours = 0, minutes = 0, seconds] = time.at.split(':').map(Number)
    const start = hours * 3600 + minutes * 60 + (seconds ?? 0) - tolerance
    const words = `the time ${time.at}${tolerance > 0 ? ` ± ${tolerance} s` : ''}`
    return { start, length: 2 * tolerance + (seconds === undefined ? 59 : 0), words }
  }
  const requestedAt = secondOfDay(from, time.now)
  const length = Math.ceil((to.getTime() - from.getTime()) / 1000) + 2 * tolerance
  const words = `the time in ${time.now} (${clockIn(time.now, to)}) ± ${tolerance} s`
  return { start: requestedAt - tolerance, length, words }
}

function listed(texts: readonly string[]): string {
  return texts.map(one => JSON.stringify(one)).join(', ')
}

function preview(text: unknown): string {
  if (typeof text !== 'string') return describeValue(text)
  return JSON.stringify(truncate(text, SHOWN))
}
