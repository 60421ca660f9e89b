import { ToolError } from '@agent-task-service/engine/tool'
import { Temporal } from 'temporal-polyfill'
import { formatDate, MONTHS, numberOf, WEEKDAYS } from './format.ts'

type PlainDate = Temporal.PlainDate

/** The parts of a date as written, in lower case: the groups of a pattern of `DATES`. */
export type WrittenDate = Readonly<
  Partial<
    Record<
      'year' | 'number' | 'month' | 'day' | 'one' | 'mark' | 'two' | 'weekday' | 'which' | 'word',
      string
    >
  >
>

const shortened = (names: readonly string[]) =>
  names.map(name => `${name.slice(0, 3)}(?:${name.slice(3)})?`.toLowerCase()).join('|')
const MONTH = `(?<month>${shortened(MONTHS)}|sept)\\.?`
const FULL_WEEKDAY = `(?<weekday>${WEEKDAYS.join('|').toLowerCase()})`
const LEAD = `(?:(?<weekday>${shortened(WEEKDAYS)})[.,]? )?(?:the )?`
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)`
const YEAR = String.raw`(?:,? (?:of )?|-)(?<year>\d{4})`
const WORDS = ['yesterday', 'today', 'tomorrow']
const END = String.raw`(?![\w:/-])`

/** Pattern sources of a date in lower case. Weekdays alone are written in full, since "3pm Sun City" has none. */
export const DATES = [
  String.raw`${LEAD}(?<year>\d{4})(?:(?<joint>[-/.])(?<number>\d{1,2})\k<joint>${DAY}|(?<number>\d\d)(?<day>\d\d))(?=t\d|[^\w/-]|$)`,
  String.raw`${LEAD}(?<one>\d{1,2})(?<mark>[/.-])(?<two>\d{1,2})\k<mark>(?<year>\d{4})${END}`,
  `${LEAD}${DAY}[ -]?(?:of )?${MONTH}(?:${YEAR})?${END}`,
  `${LEAD}${MONTH}[ -](?:the )?${DAY}(?:${YEAR})?${END}`,
  `(?<word>${WORDS.join('|')})${END}`,
  `(?:(?<which>next|last) )?${FULL_WEEKDAY}${END}`,
]

/**
 * The days that a date can mean, in order.
 * @param from the first day to look at where no year or week is named
 * @throws {ToolError} when there is no such day
 */
export function daysOf(parts: WrittenDate, today: PlainDate, from: PlainDate): PlainDate[] {
  const { word, weekday, which, year } = parts
  if (word) return [today.add({ days: WORDS.indexOf(word) - 1 })]
  const [month, day] = monthAndDay(parts)
  if (day === undefined) return daysNear(numberOf(WEEKDAYS, weekday), which, today, from)
  if (year) return [checkDate(Number(year), month, day)]
  // A leap day can be eight years away.
  const years = [...Array(9).keys()].map(later => from.year + later)
  const having = years.filter(each => day <= new Temporal.PlainYearMonth(each, month).daysInMonth)
  return (having.length > 0 ? having : years).map(each => checkDate(each, month, day))
}

/**
 * Of two numbers before a year, the first is the month if it can be. A weekday alone has no day.
 * @throws {ToolError} for `12.08.2026`: with slashes most put the month first, with points or hyphens the day
 */
function monthAndDay(parts: WrittenDate): [month: number, day: number | undefined] {
  const { number, month, day, one, mark, two, year } = parts
  const [first, second] = [Number(one), Number(two)]
  if (one && mark !== '/' && first <= 12 && second <= 12 && first !== second) {
    const iso = (month = '', day = '') => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
    throw new ToolError(
      `"${[one, two, year].join(mark)}" has two meanings: write ${iso(two, one)} or ${iso(one, two)}.`,
    )
  }
  if (one) return first > 12 ? [second, first] : [first, second]
  return [Number(number ?? numberOf(MONTHS, month)), day === undefined ? undefined : Number(day)]
}

/** `Friday`, on or after a day; `next Friday`, after today; `last Friday`, before it. */
function daysNear(
  dayOfWeek: number,
  which: string | undefined,
  today: PlainDate,
  from: PlainDate,
): PlainDate[] {
  const ahead = (day: PlainDate) => day.add({ days: (dayOfWeek - day.dayOfWeek + 7) % 7 })
  if (which === 'next') return [ahead(today.add({ days: 1 }))]
  if (which === 'last') return [ahead(today.subtract({ days: 7 }))]
  return [ahead(from), ahead(from).add({ days: 7 })]
}

/**
 * Says what was assumed to read a date as this day.
 * @throws {ToolError} when the weekday written before it is another one
 */
export function confirmDate(parts: WrittenDate, day: PlainDate): string | undefined {
  const { weekday, which, word, year, one, mark, two } = parts
  if (word) return undefined
  const [month, dayOfMonth] = monthAndDay(parts)
  const written = WEEKDAYS[numberOf(WEEKDAYS, weekday) - 1]
  const named = WEEKDAYS[day.dayOfWeek - 1]
  if (dayOfMonth === undefined)
    return `"${which ? `${which} ` : ''}${written}" is read as ${formatDate(day)}.`
  if (written && written !== named)
    throw new ToolError(`${day} is a ${named}, not a ${written}: correct one of them.`)
  if (!year) return `No year was given: ${day.year}, the next one, is assumed.`
  if (!one || mark !== '/' || dayOfMonth > 12 || month === dayOfMonth) return undefined
  const other = new Temporal.PlainDate(day.year, dayOfMonth, month)
  return `"${one}/${two}/${year}" is read with the month first, as ${formatDate(day)}; write ${other} for the other date.`
}

function checkDate(year: number, month: number, day: number): PlainDate {
  if (year < 1) throw new ToolError(`Year ${year} is out of range: years run from 0001 to 9999.`)
  if (month < 1 || month > 12) throw new ToolError(`Month ${month} does not exist: months run from 01 to 12.`)
  const whole = new Temporal.PlainYearMonth(year, month)
  if (day >= 1 && day <= whole.daysInMonth) return whole.toPlainDate({ day })
  const written = `${whole}-${String(day).padStart(2, '0')}`
  throw new ToolError(
    `${written} does not exist: ${MONTHS[month - 1]} ${year} has ${whole.daysInMonth} days.`,
  )
}
