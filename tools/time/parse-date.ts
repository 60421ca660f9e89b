import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { FEASTS } from './feasts.ts'
import { isoDate, MONTHS, WEEKDAYS } from './format.ts'

/** A date as written. Those that are no `day` depend on today's. */
export type WrittenDate =
  | { readonly kind: 'day'; readonly day: Temporal.PlainDate }
  | { readonly kind: 'yearless'; readonly month: number; readonly day: number }
  | { readonly kind: 'relative'; readonly days: number }
  /** Without a word before it, it is the nearest one in the direction of a difference, and nothing elsewhere. */
  | {
      readonly kind: 'weekday'
      readonly weekday: number
      readonly word: 'next' | 'this' | 'last' | undefined
    }

/** What a reader took from the front of a text, and what is left of it. */
export interface Taken<Value> {
  readonly value: Value
  readonly rest: string
}

const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|' +
  'nov(?:ember)?|dec(?:ember)?)\\.?'
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:])'
const YEAR = '(\\d{4})(?![\\d:])'
const MONTH_FIRST = new RegExp(`^${MONTH} +(?:the +)?${DAY}(?:,? +${YEAR})?`)
const DAY_FIRST = new RegExp(`^(?:the +)?${DAY}[ -]+(?:of +)?${MONTH}(?:[, -]+${YEAR})?`)
// Whole words only: "3pm Monaco" does not name a Monday.
const WEEKDAY =
  /^(?:(next|coming|last|past|this) +)?(mon|tue(?:s)?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?\.?(?=$|[\s,])[\s,]*/
const FEAST = new RegExp(`^(?:the )?(${[...FEASTS.keys()].join('|')})(?![a-z])(?:,? +(?:of +)?${YEAR})?`)

const RELATIVE: readonly (readonly [RegExp, number])[] = [
  [/^(?:the )?day after tomorrow(?![a-z])/, 2],
  [/^(?:the )?day before yesterday(?![a-z])/, -2],
  [/^(?:today|tonight)(?![a-z])/, 0],
  [/^tomorrow(?![a-z])/, 1],
  [/^yesterday(?![a-z])/, -1],
]

/**
 * Takes a date off the front of lower-case text.
 * @throws {ToolError} when it is a date that does not exist or may be read two ways.
 */
export function takeDate(text: string): Taken<WrittenDate> | undefined {
  for (const [form, days] of RELATIVE) {
    const found = form.exec(text)
    if (found) return { value: { kind: 'relative', days }, rest: text.slice(found[0].length) }
  }
  const weekday = WEEKDAY.exec(text)
  return weekday
    ? takeWeekday(text.slice(weekday[0].length), weekday)
    : (takeNumbers(text) ?? takeNames(text))
}

function takeWeekday(rest: string, [, word, start]: RegExpExecArray): Taken<WrittenDate> {
  const weekday = WEEKDAYS.findIndex(day => day.toLowerCase().startsWith(start!)) + 1
  const taken = takeNumbers(rest) ?? takeNames(rest)
  if (!taken) {
    const known =
      word === 'coming' ? 'next' : word === 'past' ? 'last' : (word as 'next' | 'last' | 'this' | undefined)
    return { value: { kind: 'weekday', weekday, word: known }, rest }
  }
  if (taken.value.kind === 'day' && taken.value.day.dayOfWeek !== weekday) {
    const { day } = taken.value
    const real = WEEKDAYS[day.dayOfWeek - 1]
    throw new ToolError(`${isoDate(day)} is a ${real}, not a ${WEEKDAYS[weekday - 1]}: correct one of them.`)
  }
  return taken
}

function takeNumbers(text: string): Taken<WrittenDate> | undefined {
  const week = /^(\d{4})-?w(\d{2})(?:-?([1-7]))?(?!\d)/.exec(text)
  if (week) return { value: { kind: 'day', day: readWeek(week) }, rest: text.slice(week[0].length) }
  const iso =
    /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/.exec(text) ?? /^(\d{4})()(\d{2})(\d{2})(?=$|[\st])/.exec(text)
  if (iso) return taken(text, iso, Number(iso[1]), Number(iso[3]), Number(iso[4]))
  const short = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/.exec(text)
  if (short) return takeShort(text, short)
  if (/^\d{1,6}-\d{1,2}-\d{1,2}(?!\d)/.test(text)) {
    throw new ToolError(
      `Cannot read the date in "${text}": write it as 2026-03-01, years 0001 to 9999 in four digits.`,
    )
  }
  return undefined
}

function readWeek([, year, week, weekday = '1']: RegExpExecArray): Temporal.PlainDate {
  // The fourth of January lies in the first week.
  const fourth = checkDate(Number(year), 1, 4)
  const days = (Number(week) - 1) * 7 + Number(weekday) - fourth.dayOfWeek
  const day = fourth.add({ days })
  if (day.weekOfYear === Number(week)) return checkDate(day.year, day.month, day.day)
  throw new ToolError(
    `ISO week ${Number(week)} does not exist in ${Number(year)}: weeks run from 1 to 52, or 53 in long years.`,
  )
}

/** `25/12/2026` can only be read one way; `03/04/2026` cannot. */
function takeShort(text: string, found: RegExpExecArray): Taken<WrittenDate> {
  const [first, second, year] = [Number(found[1]), Number(found[3]), Number(found[4])]
  if (found[4]!.length < 4)
    throw new ToolError(`"${found[0]}" has a two-digit year: write the date as 2026-03-01.`)
  if (first > 12 && second <= 12) return taken(text, found, year, second, first)
  if (second > 12 || first === second) return taken(text, found, year, first, second)
  const [monthFirst, dayFirst] = [
    isoDate({ year, month: first, day: second }),
    isoDate({ year, month: second, day: first }),
  ]
  throw new ToolError(
    `"${found[0]}" may be ${monthFirst} or ${dayFirst}: write the one you mean in that form.`,
  )
}

function takeNames(text: string): Taken<WrittenDate> | undefined {
  const monthFirst = MONTH_FIRST.exec(text)
  const feast = FEAST.exec(text)
  const found = monthFirst ?? DAY_FIRST.exec(text) ?? feast
  if (!found) return undefined
  const [name, date] = monthFirst ? [found[1], found[2]] : [found[2], found[1]]
  const start = name?.slice(0, 3) ?? ''
  const [month, day] = FEASTS.get(found[1]!) ?? [
    MONTHS.findIndex(known => known.toLowerCase().startsWith(start)) + 1,
    Number(date),
  ]
  const year = found === feast ? found[2] : found[3]
  if (year !== undefined) return taken(text, found, Number(year), month, day)
  checkDate(2000, month, day)
  return { value: { kind: 'yearless', month, day }, rest: text.slice(found[0].length) }
}

function taken(
  text: string,
  found: RegExpExecArray,
  year: number,
  month: number,
  day: number,
): Taken<WrittenDate> {
  return { value: { kind: 'day', day: checkDate(year, month, day) }, rest: text.slice(found[0].length) }
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
