import type { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { FEAST, feastDays } from './feasts.ts'
import { formatDate, MONTHS, numberOf, WEEKDAYS } from './format.ts'
import { PERIOD } from './periods.ts'
import { type Form, type Taken, take } from './take.ts'
import { checkDate, inYear, OFFSETS, type WrittenDate, YEAR } from './written-date.ts'

type PlainDate = Temporal.PlainDate
const NAME = '([a-z]{3,9})\\.?'
const DAY = '(\\d{1,2})(?:st|nd|rd|th|\\.(?= ))?(?![\\d:])'
// Whole words only: "3pm Monaco" does not contain a Monday, nor "3pm Sun City" a Sunday.
const WEEKDAY =
  /^(?!sun (?:city|valley|prairie)|friday harbor|satu |thu dau)(?:(next|coming|last|past|this) +)?([a-z]{3,9})\.?(?: (?:of )?(next|this|last) week)?(?=$|[\s,])[\s,]*/
const DAYS = 'day before yesterday, yesterday, today, tomorrow, day after tomorrow'.split(', ')
const DATES: readonly Form<WrittenDate>[] = [
  [
    new RegExp(`^(?:the )?(${DAYS.join('|')})(?![a-z])`),
    ([, word]) => ({ days: today => [today.add({ days: DAYS.indexOf(word!) - 2 })] }),
  ],
  [/^(\d{4})-?w(\d{2})(?:-?([1-7]))?(?!\d)/, ([, year, week, day = 1]) => dayOfWeek(year, +week!, +day)],
  [/^(?:w|week )(\d{1,2}),? (?:of )?(\d{4})(?![\d:])/, ([, week, year]) => dayOfWeek(year, +week!, 1)],
  [/^(\d{4})-(\d{3})(?!\d)/, ([, year, day]) => dayOfYear(year, +day!)],
  [/^day (\d{1,3}),? (?:of )?(\d{4})(?![\d:])/, ([, day, year]) => dayOfYear(year, +day!)],
  [/^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/, ([, year, , month, day]) => dayOf(+month!, +day!, year)],
  [/^(\d{4})(\d{2})(\d{2})(?=$|[\st])/, ([, year, month, day]) => dayOf(+month!, +day!, year)],
  [/^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/, dayAndMonth],
  [/^\d{1,6}-\d{1,2}-\d{1,2}(?!\d)/, notIso],
  [new RegExp(`^${FEAST}${YEAR}`), ([, name, ...year]) => dayOf(...feastDays.get(name!)!, ...year)],
  [new RegExp(`^${NAME}[ -]+(?:the +)?${DAY}${YEAR}`), ([, name, day, ...year]) => named(name, day, ...year)],
  [
    new RegExp(`^(?:the +)?${DAY}[ /-]*(?:of +)?${NAME}${YEAR}`),
    ([, day, name, ...year]) => named(name, day, ...year),
  ],
  [new RegExp(`^(\\d{4})[ -]${NAME}[ -]${DAY}`), ([, year, name, day]) => named(name, day, year)],
  PERIOD,
]

/**
 * Reads a date at the start of lower-case text.
 * @throws {ToolError} when the date does not exist or is ambiguous
 */
export function takeDate(written: string): Taken<WrittenDate> | undefined {
  if (/(?<!\d)'\d\d\b/.test(written))
    throw new ToolError(`"${written}" has a two-digit year: write 2026-03-01.`)
  const text = written
    // Handles `St. Patrick's Day`.
    .replaceAll("'", '')
    .replace(/\b(?:saint|st\.) /g, 'st ')
    .replace(/^((?:next|this|last) week),? ([a-z]+)/, '$2 $1')
  const whole = take(text, DATES)
  const [all = '', word, name, week] = WEEKDAY.exec(text) ?? []
  const weekday = numberOf(WEEKDAYS, name)
  if (whole || weekday === 0) return whole
  const rest = text.slice(all.length)
  const date = take(rest, DATES)
  if (date) return { ...date, value: onWeekday(date.value, weekday) }
  const ofWeek = (today: PlainDate) =>
    today.add({ days: weekday - today.dayOfWeek + 7 * (OFFSETS[week!] ?? 0) })
  return { value: week ? { days: today => [ofWeek(today)] } : nearWeekday(weekday, word), rest }
}

/** Checks a date against the weekday written before it. */
function onWeekday({ days, ...date }: WrittenDate, weekday: number): WrittenDate {
  const agreeing: WrittenDate['days'] = (...near) => {
    const all = days(...near)
    const right = all.filter(({ dayOfWeek }) => dayOfWeek === weekday)
    if (right.length > 0) return right
    const real = `${all[0]} is a ${WEEKDAYS[all[0]!.dayOfWeek - 1]}`
    throw new ToolError(`${real}, not a ${WEEKDAYS[weekday - 1]}: correct one of them.`)
  }
  return { ...date, days: agreeing }
}

/** `next Friday`, or only `Friday`. */
function nearWeekday(weekday: number, word: string | undefined): WrittenDate {
  const name = WEEKDAYS[weekday - 1]
  const ahead = (day: PlainDate, weeks: number) =>
    day.add({ days: ((weekday - day.dayOfWeek + 7) % 7) + 7 * weeks })
  if (!word || word === 'this')
    return {
      days: (today, from, side) =>
        word ? [ahead(today, 0)] : [-1, 0, 1].map(weeks => ahead(from, weeks * side)),
      note: day => (word ? undefined : `"${name}" is read as ${formatDate(day)}.`),
    }
  const isNext = (OFFSETS[word] ?? 0) > 0
  return {
    days: today => [isNext ? ahead(today.add({ days: 1 }), 0) : ahead(today, -1)],
    note: (day, today) => {
      if (!isNext || day.weekOfYear !== today.weekOfYear) return undefined
      const first = `"Next ${name}" is read as the first one after today, ${formatDate(day)}`
      return `${first}; that of next week is ${formatDate(day.add({ weeks: 1 }))}.`
    },
  }
}

function dayOf(month: number, day: number, year?: string, word?: string): WrittenDate {
  return inYear(one => checkDate(one, month, day), year, word)
}

function named(name: string | undefined, day: string | undefined, ...year: (string | undefined)[]) {
  const month = numberOf(MONTHS, name)
  return month === 0 ? undefined : dayOf(month, Number(day), ...year)
}

/** `2026-W09-7`. */
function dayOfWeek(year: string | undefined, week: number, weekday: number): WrittenDate {
  return inYear(one => {
    // 4 January is always in week 1.
    const fourth = checkDate(one, 1, 4)
    const day = fourth.add({ days: (week - 1) * 7 + weekday - fourth.dayOfWeek })
    if (day.weekOfYear === week) return day
    throw new ToolError(`ISO week ${week} does not exist in ${one}: there are 52, or 53 in long years.`)
  }, year)
}

/** `2026-060` is 1 March. */
function dayOfYear(year: string | undefined, count: number): WrittenDate {
  return inYear(one => {
    const day = checkDate(one, 1, 1).add({ days: count - 1 })
    if (day.year === one) return day
    throw new ToolError(`Day ${count} does not exist in ${one}: days run to 365, or 366 in leap years.`)
  }, year)
}

/** `25/12/2026` has one reading; `03/04/2026` has two. */
function dayAndMonth([all, one, , other, year = '']: RegExpExecArray): WrittenDate {
  const [first, second] = [Number(one), Number(other)]
  if (year.length < 4) throw new ToolError(`"${all}" has a two-digit year: write 2026-03-01.`)
  if (first > 12 && second <= 12) return dayOf(second, first, year)
  if (second > 12 || first === second) return dayOf(first, second, year)
  const readings = [first, second].map(month => checkDate(+year, month, first + second - month))
  throw new ToolError(`"${all}" may be ${readings.join(' or ')}: write the one you mean in that form.`)
}

function notIso({ input }: RegExpExecArray): never {
  throw new ToolError(`Cannot read "${input}": write 2026-03-01, years 0001 to 9999 in four digits.`)
}
