import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { moveDate } from './business-days.ts'
import { didYouMean, findZone } from './find-zone.ts'
import { MONTHS, numberOf } from './format.ts'
import { type Clock, cutPartOfDay, type PartOfDay, takeClock } from './parse-clock.ts'
import { takeDate } from './parse-date.ts'
import { parseDuration } from './parse-duration.ts'
import { normalStamp, readEpoch } from './stamps.ts'
import { plainText, type Taken } from './take.ts'
import type { WrittenDate } from './written-date.ts'

/** A moment as written, before any zone is applied. */
export interface WrittenTime {
  /** The original text, for messages. */
  readonly text: string
  /** Set for `now`, `in 90 minutes` and Unix time: the moment, from the present in its zone. */
  readonly instant?: (present: Temporal.ZonedDateTime) => Temporal.ZonedDateTime
  readonly isEpoch?: boolean
  readonly date?: WrittenDate | undefined
  readonly clock?: Clock | undefined
  readonly part?: PartOfDay | undefined
  /** An offset or zone after the time. */
  readonly zone?: string | undefined
  /** A zone in square brackets after an offset; the two must agree. */
  readonly bracket?: string | undefined
}

const FORMS = 'Write 2026-03-01T15:00, "2026-03-01 3pm", "March 1, 2026", 15:00, today, tomorrow noon or now.'

const FROM_NOW =
  /^in .*(?:second|minute|hour|day|week|fortnight|month|quarter|year|decade)s?$| (?:ago|from (?:now|today))$/

/**
 * Reads a moment: a date, a time of day, or both in either order, optionally followed by an offset or zone.
 * @throws {ToolError} when the text is none of these
 */
export function parseTime(text: string): WrittenTime {
  const { rest: whole, part } = cutPartOfDay(normalStamp(plainText(text, 'A time', FORMS)))
  const epoch = readEpoch(whole)
  if (epoch !== undefined)
    return { text, instant: ({ timeZoneId }) => new Temporal.ZonedDateTime(epoch, timeZoneId), isEpoch: true }
  const now = /^(?:right )?now(?![a-z])/.exec(whole)
  if (now) return withZone({ text, instant: present => present }, whole.slice(now[0].length))
  if (!part && FROM_NOW.test(whole)) {
    const span = parseDuration(whole.replace(/today$/, 'now'))
    const { hours, minutes, seconds } = span.duration
    if (hours || minutes || seconds) return { text, instant: present => present.add(span.duration) }
    return { text, date: { days: today => [moveDate(today, span)] } }
  }
  let date: WrittenDate | undefined
  let clock: Clock | undefined
  let rest = whole
  for (;;) {
    const [lead = ''] = /^(?:\s|,|;|at (?=.)|on (?=.))+/.exec(rest) ?? []
    rest = rest.slice(lead.length)
    const first = date ? undefined : takeDate(rest)
    const second = first || clock ? undefined : takeClock(rest, part, !!part || lead.endsWith('at '))
    if (!first && !second) break
    date ??= first?.value
    clock ??= second?.value
    rest = (first ?? second)!.rest
  }
  if (!date && !clock) throw new ToolError(`Cannot read "${text}" as a time. ${FORMS}`)
  const last = date ? undefined : takeLastDate(rest)
  return withZone({ text, date: date ?? last?.value, clock, part }, last?.rest ?? rest)
}

/** Reads a date after the zone, as in `9am PST tomorrow`; the rest is the text before it. */
function takeLastDate(text: string): Taken<WrittenDate> | undefined {
  for (const { index } of text.matchAll(/ /g)) {
    const last = text.slice(index + 1)
    // Not the end of `Viña del Mar`.
    const date = numberOf(MONTHS, last) ? undefined : takeDate(last)
    if (date?.rest === '') return { ...date, rest: text.slice(0, index).replace(/,? on$|,$/, '') }
  }
  return undefined
}

/** Reads what follows the time: an offset, `[Zone]`, both, or a name. */
function withZone(written: WrittenTime, left: string): WrittenTime {
  const rest = left.replace(/^[\s,]+/, '')
  if (rest === '') return written
  const parts = /^([^[(]*)(?:\[([^\][]*)\]|\(([^()]*)\))?$/.exec(rest)
  const [before, square, round] = parts?.slice(1).map(part => part?.trim()) ?? []
  const zone = before || square || round
  // Browsers append the zone's name in parentheses: "GMT+0900 (Japan Standard Time)".
  const bracket = (before && square) || undefined
  const wrong = zone ? [zone, bracket].find(name => name && !findZone(name)) : rest
  if (!wrong) return { ...written, zone, bracket }
  // "now tonight" contains no "today".
  const where = written.text.toLowerCase().includes(wrong) ? `"${wrong}" in ` : ''
  throw new ToolError(
    `Cannot read ${where}"${written.text}": it is neither a date (2026-03-01), a time of day (15:00, 3:30 pm) nor a known zone.${didYouMean(wrong)}`,
  )
}
