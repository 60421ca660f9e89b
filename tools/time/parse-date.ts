import type { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { FEAST, feastDays } from './feasts.ts'
import { formatDate, MONTHS, WEEKDAYS } from './format.ts'
import { type Form, type Taken, take } from './take.ts'
import { checkDate, type WrittenDate } from './written-date.ts'

const NAME = '([a-z]{3,9})\\.?'
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?(?![\\d:])'
const YEAR = '(\\d{4})(?![\\d:])'
// Whole words only: "3pm Monaco" does not contain a Monday.
const WEEKDAY = /^(?:(next|coming|last|past|this) +)?([a-z]{3,9})\.?(?=$|[\s,])[\s,]*/
const WEEKS_OFF: Record<string, number> = { next: 1, this: 0, last: -1 }
const DAYS = 'day before yesterday, yesterday, today, tomorrow, day after tomorrow'.split(', ')
const NEAR: Form<WrittenDate> = [
  new RegExp(`^(?:the )?(${DAYS.join('|')})(?![a-z])`),
  ([, word]) => ({ kind: 'relative', on: today => today.add({ days: DAYS.indexOf(word!) - 2 }) }),
]
const DATES: readonly Form<WrittenDate>[] = [
  [/^(\d{4})-?w(\d{2})(?:-?([1-7]))?(?!\d)/, ([, year, week, day = 1]) => dayOfWeek(+year!, +week!, +day)],
  [/^(\d{4})-(\d{3})(?!\d)/, ([, year, day]) => dayOfYear(+year!, +day!)],
  [/^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/, ([, year, , month, day]) => dayOf(year, month, day)],
  [/^(\d{4})(\d{2})(\d{2})(?=$|[\st])/, ([, year, month, day]) => dayOf(year, month, day)],
  [/^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/, dayAndMonth],
  [/^\d{1,6}-\d{1,2}-\d{1,2}(?!\d)/, notIso],
  [
    new RegExp(`^${FEAST}(?:,? +(?:of +|in +)?${YEAR})?`),
    ([, name, year]) => dayOf(year, ...feastDays.get(name!)!),
  ],
  [new RegExp(`^${NAME} +(?:the +)?${DAY}(?:,? +${YEAR})?`), ([, name, day, year]) => named(year, name, day)],
  [
    new RegExp(`^(?:the +)?${DAY}[ /-]+(?:of +)?${NAME}(?:[, /-]+${YEAR})?`),
    ([, day, name, year]) => named(year, name, day),
  ],
]

/**
 * Reads a date at the start of lower-case text.
 * @throws {ToolError} when the date does not exist or is ambiguous
 */
export function takeDate(written: string): Taken<WrittenDate> | undefined {
  // Handles `St. Patrick's Day`.
  const text = written.replaceAll("'", '').replace(/\b(?:saint|st\.) /g, 'st ')
  const [all = '', word, name] = WEEKDAY.exec(text) ?? []
  const weekday = indexOf(WEEKDAYS, name) + 1
  if (weekday === 0) return take(text, [NEAR, ...DATES])
  const rest = text.slice(all.length)
  const ofWeek: Form<WrittenDate> = [
    /^(?:of )?(next|this|last) week(?![a-z])/,
    ([, week]) => ({
      kind: 'relative',
      on: today => today.add({ days: weekday - today.dayOfWeek }).add({ weeks: WEEKS_OFF[week!]! }),
    }),
  ]
  const date = take(rest, word ? DATES : [ofWeek, ...DATES])
  if (date?.value.kind !== 'day' || date.value.day.dayOfWeek === weekday)
    return date ?? { value: nearWeekday(weekday, word), rest }
  const real = `${date.value.day} is a ${WEEKDAYS[date.value.day.dayOfWeek - 1]}`
  throw new ToolError(`${real}, not a ${WEEKDAYS[weekday - 1]}: correct one of them.`)
}

/** `next Friday`, or only `Friday`. */
function nearWeekday(weekday: number, word: string | undefined): WrittenDate {
  if (!word) return { kind: 'weekday', weekday }
  const isNext = /next|coming/.test(word)
  const on = (today: Temporal.PlainDate, notes: Set<string>) => {
    const ahead = (weekday - today.dayOfWeek + 7) % 7
    const day = today.add({ days: isNext ? ahead || 7 : word === 'this' ? ahead : ahead - 7 })
    const first = `"Next ${WEEKDAYS[weekday - 1]}" is read as the first one after today, ${formatDate(day)}`
    if (isNext && day.weekOfYear === today.weekOfYear)
      notes.add(`${first}; that of next week is ${formatDate(day.add({ weeks: 1 }))}.`)
    return day
  }
  return { kind: 'relative', on }
}

/** The index of the name with this prefix. */
function indexOf(names: readonly string[], start: string | undefined): number {
  return start ? names.findIndex(name => name.toLowerCase().startsWith(start)) : -1
}

function dayOf(year: string | undefined, ...monthAndDay: readonly unknown[]): WrittenDate {
  const [month, day] = monthAndDay.map(Number) as [number, number]
  if (year !== undefined) return { kind: 'day', day: checkDate(Number(year), month, day) }
  checkDate(undefined, month, day)
  return { kind: 'yearless', month, day }
}

function named(year: string | undefined, name: string | undefined, day: string | undefined) {
  const month = indexOf(MONTHS, name) + 1
  return month === 0 ? undefined : dayOf(year, month, day)
}

/** `2026-W09-7`. */
function dayOfWeek(year: number, week: number, weekday: number): WrittenDate {
  // 4 January is always in week 1.
  const fourth = checkDate(year, 1, 4)
  const day = fourth.add({ days: (week - 1) * 7 + weekday - fourth.dayOfWeek })
  if (day.weekOfYear === week) return { kind: 'day', day }
  throw new ToolError(`ISO week ${week} does not exist in ${year}: there are 52, or 53 in long years.`)
}

/** `2026-060` is 1 March. */
function dayOfYear(year: number, count: number): WrittenDate {
  const day = checkDate(year, 1, 1).add({ days: count - 1 })
  if (day.year === year) return { kind: 'day', day }
  throw new ToolError(`Day ${count} does not exist in ${year}: days run to 365, or 366 in leap years.`)
}

/** `25/12/2026` has one reading; `03/04/2026` has two. */
function dayAndMonth([all, one, , other, year = '']: RegExpExecArray): WrittenDate {
  const [first, second] = [Number(one), Number(other)]
  if (year.length < 4) throw new ToolError(`"${all}" has a two-digit year: write 2026-03-01.`)
  if (first > 12 && second <= 12) return dayOf(year, second, first)
  if (second > 12 || first === second) return dayOf(year, first, second)
  const readings = [first, second].map(month => checkDate(+year, month, first + second - month))
  throw new ToolError(`"${all}" may be ${readings.join(' or ')}: write the one you mean in that form.`)
}

function notIso({ input }: RegExpExecArray): never {
  throw new ToolError(`Cannot read "${input}": write 2026-03-01, years 0001 to 9999 in four digits.`)
}
