import { ToolError } from '@agent-task-service/engine/tool'
import { Temporal } from 'temporal-polyfill'
import { formatDate, MONTHS, numberOf, WEEKDAYS } from './format.ts'

type PlainDate = Temporal.PlainDate

/** The parts of a date as written, in lower case: the groups of a pattern of `DATES`. */
export type WrittenDate = Readonly<
  Partial<Record<'year' | 'number' | 'month' | 'day' | 'weekday' | 'which' | 'word', string>>
>

const shortened = (names: readonly string[]) =>
  names.map(name => `${name.slice(0, 3)}(?:${name.slice(3)})?`.toLowerCase()).join('|')
const MONTH = `(?<month>${shortened(MONTHS)}|sept)\\.?`
const FULL_WEEKDAY = `(?<weekday>${WEEKDAYS.join('|').toLowerCase()})`
const LEAD = `(?:(?<weekday>${shortened(WEEKDAYS)})[.,]? )?(?:the )?`
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|\.)?(?!\d)`
const YEAR = String.raw`(?:,? (?:of )?|-)(?<year>\d{4})`
const WORDS = ['yesterday', 'today', 'tomorrow']
const END = String.raw`(?![\w:/-])`

/** Pattern sources of a date in lower case. Weekdays alone are written in full, since "3pm Sun City" has none. */
export const DATES = [
  String.raw`${LEAD}(?<year>\d{4})(?:(?<joint>[-/.])(?<number>\d{1,2})\k<joint>${DAY}|(?<number>\d\d)(?<day>\d\d))(?=t\d|[^\w/-]|$)`,
  `${LEAD}${DAY}[ -]?(?:of )?${MONTH}(?:${YEAR})?${END}`,
  `${LEAD}${MONTH}[ -](?:the )?${DAY}(?:${YEAR})?${END}`,
  `(?<word>${WORDS.join('|')})${END}`,
  `(?:(?<which>this|next|last) )?${FULL_WEEKDAY}${END}`,
]

/**
 * The days that a date can mean, in order.
 * @throws {ToolError} when there is no such day, or when it has two meanings
 */
export function daysOf(parts: WrittenDate, today: PlainDate, from: PlainDate): PlainDate[] {
  const { word, year, number, month: name, day: written } = parts
  if (word) return [today.add({ days: WORDS.indexOf(word) - 1 })]
  if (!written) return daysNear(parts, today, from)
  const [month, day] = [Number(number ?? numberOf(MONTHS, name)), Number(written)]
  if (year) return [checkDate(Number(year), month, day)]
  // A leap day can be eight years away.
  const years = [...Array(9).keys()].map(later => from.year + later)
  const having = years.filter(each => day <= new Temporal.PlainYearMonth(each, month).daysInMonth)
  return (having.length > 0 ? having : years).map(each => checkDate(each, month, day))
}

const NUMERIC = /(?<![\w/.-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\w/-])/g

/**
 * Writes `28/11/2026` as `2026-11-28`. Where either number can be the month, the weekday beside it or dates in the texts tell which.
 * @throws {ToolError} when nothing tells
 */
export function withIsoDates(text: string, { texts, notes }: { texts: string; notes: Set<string> }): string {
  return text.replace(NUMERIC, (written, one: string, mark: string, two: string, year: string) => {
    const iso = (month: string, day: string) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
    const [dayFirst, monthFirst] = [iso(two, one), iso(one, two)]
    if (Number(two) > 12 || dayFirst === monthFirst) return monthFirst
    if (Number(one) > 12) return dayFirst
    const named = [dayFirst, monthFirst].filter(day => {
      const [weekday = ''] = formatDate(Temporal.PlainDate.from(day)).split(' ')
      return new RegExp(`\\b(?:${weekday}|${weekday.slice(0, 3)})\\b`, 'i').test(text)
    })
    if (named.length === 1) return named[0]!
    const alike = [...texts.matchAll(NUMERIC)].filter(found => found[2] === mark)
    const [like, other] = [1, 3].map(place => alike.find(found => Number(found[place]) > 12)?.[0])
    if (!like === !other) refuseTwo(written, [dayFirst, monthFirst])
    const day = like ? dayFirst : monthFirst
    notes.add(`"${written}" is read as ${day}, in the order of "${like ?? other}".`)
    return day
  })
}

/** `Friday`, on or after a day. `this`, `next` and `last` count from today, or by weeks from Monday: both must agree. */
function daysNear({ weekday, which }: WrittenDate, today: PlainDate, from: PlainDate): PlainDate[] {
  const dayOfWeek = numberOf(WEEKDAYS, weekday)
  const ahead = (day: PlainDate) => day.add({ days: (dayOfWeek - day.dayOfWeek + 7) % 7 })
  if (!which) return [ahead(from), ahead(from).add({ days: 7 })]
  const days = { last: -7, this: 0, next: 1 }[which] ?? 0
  const near = ahead(today.add({ days }))
  const inWeek = today.add({ days: Math.sign(days) * 7 + dayOfWeek - today.dayOfWeek })
  if (!near.equals(inWeek)) refuseTwo(`${which} ${WEEKDAYS[dayOfWeek - 1]}`, [near, inWeek])
  return [near]
}

function refuseTwo(written: string, days: readonly (PlainDate | string)[]): never {
  throw new ToolError(`"${written}" has two meanings: write ${days.join(' or ')}.`)
}

/**
 * Says what was assumed to read a date as this day.
 * @throws {ToolError} when the weekday written before it is another one
 */
export function confirmDate(parts: WrittenDate, day: PlainDate): string | undefined {
  const { weekday, which, word, year, day: written } = parts
  if (word) return undefined
  const name = WEEKDAYS[numberOf(WEEKDAYS, weekday) - 1]
  const named = WEEKDAYS[day.dayOfWeek - 1]
  if (!written) return `"${which ? `${which} ` : ''}${name}" is read as ${formatDate(day)}.`
  if (!name || name === named)
    return year ? undefined : `No year was given: ${day.year}, the next one, is assumed.`
  const more = year ? '' : ', or write the year'
  throw new ToolError(`${day} is a ${named}, not a ${name}: correct one of them${more}.`)
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
