import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { FEAST, feastDay } from './feasts.ts'
import { isoDate, MONTHS, WEEKDAYS } from './format.ts'
import { parseDuration, type Span } from './parse-duration.ts'

/** A date as written. Those that are no `day` depend on today's. */
export type WrittenDate =
  | { readonly kind: 'day'; readonly day: Temporal.PlainDate }
  | { readonly kind: 'yearless'; readonly month: number; readonly day: number }
  | { readonly kind: 'relative'; readonly span: Span }
  /** Without a word before it, it is the nearest one in the direction of a difference, and nothing elsewhere. */
  | {
      readonly kind: 'weekday'
      readonly weekday: number
      readonly word?: 'next' | 'this' | 'last' | undefined
      /** That of this week, or of so many weeks later. */
      readonly week?: -1 | 0 | 1 | undefined
    }

/** What a reader took from the front of a text, and what is left of it. */
export interface Taken<Value> {
  readonly value: Value
  readonly rest: string
}

const NAME = '([a-z]{3,9})\\.?'
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:])'
const YEAR = '(\\d{4})(?![\\d:])'
const MONTH_FIRST = new RegExp(`^${NAME} +(?:the +)?${DAY}(?:,? +${YEAR})?`)
const DAY_FIRST = new RegExp(`^(?:the +)?${DAY}[ /-]+(?:of +)?${NAME}(?:[, /-]+${YEAR})?`)
const FEAST_DAY = new RegExp(`^${FEAST}(?:,? +(?:of +|in +)?${YEAR})?`)
// Whole words only: "3pm Monaco" does not name a Monday.
const WEEKDAY = /^(?:(next|coming|last|past|this) +)?([a-z]{3,9})\.?(?=$|[\s,])[\s,]*/
const NEAR = /^(?:the )?(day after tomorrow|day before yesterday|today|tonight|tomorrow|yesterday)(?![a-z])/
const DAYS_OFF = { 'day after tomorrow': 2, 'day before yesterday': -2, tomorrow: 1, yesterday: -1 }
const WEEK = /^(?:of )?(next|this|last) week(?![a-z])/
const WEEKS_OFF = { next: 1, this: 0, last: -1 } as const

/**
 * Takes a date off the front of lower-case text.
 * @throws {ToolError} when it is a date that does not exist or may be read two ways.
 */
export function takeDate(text: string): Taken<WrittenDate> | undefined {
  const near = NEAR.exec(text)
  if (near) {
    const days = DAYS_OFF[near[1] as keyof typeof DAYS_OFF] ?? 0
    return {
      value: { kind: 'relative', span: parseDuration(`${days} days`) },
      rest: text.slice(near[0].length),
    }
  }
  const [all = '', word, name] = WEEKDAY.exec(text) ?? []
  const weekday = indexOf(WEEKDAYS, name) + 1
  if (weekday === 0) return takeNumbers(text) ?? takeNames(text)
  const rest = text.slice(all.length)
  const date = takeNumbers(rest) ?? takeNames(rest)
  const inWeek = WEEK.exec(rest)
  if (inWeek && !word) {
    const week = WEEKS_OFF[inWeek[1] as keyof typeof WEEKS_OFF]
    return { value: { kind: 'weekday', weekday, week }, rest: rest.slice(inWeek[0].length) }
  }
  if (!date) {
    const which = word && ({ coming: 'next', past: 'last' }[word] ?? word)
    return { value: { kind: 'weekday', weekday, word: which as 'next' | 'this' | 'last' | undefined }, rest }
  }
  if (date.value.kind === 'day' && date.value.day.dayOfWeek !== weekday) {
    const real = `${isoDate(date.value.day)} is a ${WEEKDAYS[date.value.day.dayOfWeek - 1]}`
    throw new ToolError(`${real}, not a ${WEEKDAYS[weekday - 1]}: correct one of them.`)
  }
  return date
}

/** The place of the name that begins so. */
function indexOf(names: readonly string[], start: string | undefined): number {
  return start ? names.findIndex(name => name.toLowerCase().startsWith(start)) : -1
}

function takeNumbers(text: string): Taken<WrittenDate> | undefined {
  const week = /^(\d{4})-?w(\d{2})(?:-?([1-7]))?(?!\d)/.exec(text)
  if (week) {
    const { year, month, day } = readWeek(Number(week[1]), Number(week[2]), Number(week[3] ?? 1))
    return taken(text, week, year, month, day)
  }
  const ordinal = /^(\d{4})-(\d{3})(?!\d)/.exec(text)
  if (ordinal) return takeOrdinal(text, ordinal)
  const iso =
    /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/.exec(text) ?? /^(\d{4})()(\d{2})(\d{2})(?=$|[\st])/.exec(text)
  if (iso) return taken(text, iso, Number(iso[1]), Number(iso[3]), Number(iso[4]))
  const short = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/.exec(text)
  if (short) return takeShort(text, short)
  if (/^\d{1,6}-\d{1,2}-\d{1,2}(?!\d)/.test(text)) {
    throw new ToolError(
      `Cannot read the date in "${text}": write 2026-03-01, years 0001 to 9999 in four digits.`,
    )
  }
  return undefined
}

function readWeek(year: number, week: number, weekday: number): Temporal.PlainDate {
  // The fourth of January lies in the first week.
  const fourth = checkDate(year, 1, 4)
  const day = fourth.add({ days: (week - 1) * 7 + weekday - fourth.dayOfWeek })
  if (day.weekOfYear === week) return day
  throw new ToolError(`ISO week ${week} does not exist in ${year}: there are 52, or 53 in long years.`)
}

/** `2026-060` is the first of March. */
function takeOrdinal(text: string, found: RegExpExecArray): Taken<WrittenDate> {
  const [year, count] = [Number(found[1]), Number(found[2])]
  const day = checkDate(year, 1, 1).add({ days: count - 1 })
  if (day.year === year) return { value: { kind: 'day', day }, rest: text.slice(found[0].length) }
  throw new ToolError(
    `Day ${count} does not exist in ${year}: days run from 001 to 365, or 366 in leap years.`,
  )
}

/** `25/12/2026` can only be read one way; `03/04/2026` cannot. */
function takeShort(text: string, found: RegExpExecArray): Taken<WrittenDate> {
  const [first, second, year] = [Number(found[1]), Number(found[3]), Number(found[4])]
  if (found[4]!.length < 4) throw new ToolError(`"${found[0]}" has a two-digit year: write 2026-03-01.`)
  if (first > 12 && second <= 12) return taken(text, found, year, second, first)
  if (second > 12 || first === second) return taken(text, found, year, first, second)
  const readings = [first, second].map(month => isoDate({ year, month, day: first + second - month }))
  throw new ToolError(`"${found[0]}" may be ${readings.join(' or ')}: write the one you mean in that form.`)
}

function takeNames(text: string): Taken<WrittenDate> | undefined {
  const feast = FEAST_DAY.exec(text)
  const monthFirst = /^the /.test(text) ? null : MONTH_FIRST.exec(text)
  const found = feast ?? monthFirst ?? DAY_FIRST.exec(text)
  if (!found) return undefined
  const [name, date] = monthFirst ? [found[1], found[2]] : [found[2], found[1]]
  const { month, day } = feast ? feastDay(feast[1]!) : { month: indexOf(MONTHS, name) + 1, day: Number(date) }
  if (month === 0) return undefined
  const year = feast ? feast[2] : found[3]
  if (year !== undefined) return taken(text, found, Number(year), month, day)
  checkDate(2000, month, day)
  return { value: { kind: 'yearless', month, day }, rest: text.slice(found[0].length) }
}

function taken(text: string, [all]: RegExpExecArray, ...date: [number, number, number]): Taken<WrittenDate> {
  return { value: { kind: 'day', day: checkDate(...date) }, rest: text.slice(all.length) }
}

/** @throws {ToolError} when the calendar has no such day, or the year is not 1 to 9999. */
export function checkDate(year: number, month: number, day: number): Temporal.PlainDate {
  if (year < 1 || year > 9999)
    throw new ToolError(`Year ${year} is out of range: years run from 0001 to 9999.`)
  if (month < 1 || month > 12) throw new ToolError(`Month ${month} does not exist: months run from 01 to 12.`)
  const { daysInMonth } = new Temporal.PlainYearMonth(year, month)
  if (day >= 1 && day <= daysInMonth) return new Temporal.PlainDate(year, month, day)
  throw new ToolError(
    `${isoDate({ year, month, day })} does not exist: ${MONTHS[month - 1]} ${year} has ${daysInMonth} days.`,
  )
}
