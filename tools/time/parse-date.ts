import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { formatDate, MONTHS, numberOf, WEEKDAYS } from './format.ts'

type PlainDate = Temporal.PlainDate

/** A date as written. */
export interface WrittenDate {
  /** The days that it can mean, in order; `from` is the first day to look at where it names no year or week. */
  readonly days: (today: PlainDate, from: PlainDate) => readonly PlainDate[]
  /** Whether it means the same day whenever it is read. */
  readonly isFixed?: boolean
  /** Says what was assumed. */
  readonly note?: (day: PlainDate) => string
}

const shortened = (names: readonly string[]) =>
  names.map(name => `${name.slice(0, 3)}(?:${name.slice(3)})?`.toLowerCase()).join('|')
const MONTH = `(?<month>${shortened(MONTHS)}|sept)\\.?`
const FULL_WEEKDAY = `(?<weekday>${WEEKDAYS.join('|').toLowerCase()})`
const LEAD = `(?:(?<weekday>${shortened(WEEKDAYS)})[.,]? )?(?:the )?`
const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?(?!\d)`
const YEAR = String.raw`(?:,? (?:of )?|-)(?<year>\d{4})`
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'last']
const WORDS = ['yesterday', 'today', 'tomorrow']
const END = String.raw`(?![\w:-])`

/** Pattern sources of a date in lower case. Weekdays alone are written in full, since "3pm Sun City" has none. */
export const DATES = [
  String.raw`${LEAD}(?<year>\d{4})(?:(?<joint>[-/])(?<number>\d{1,2})\k<joint>${DAY}|(?<number>\d\d)(?<day>\d\d))(?=t\d|[^\w/-]|$)`,
  `(?:the )?(?<nth>${ORDINALS.join('|')}) ${FULL_WEEKDAY} (?:of|in) ${MONTH}(?:${YEAR})?${END}`,
  `${LEAD}${DAY}[ -]?(?:of )?${MONTH}(?:${YEAR})?${END}`,
  `${LEAD}${MONTH}[ -](?:the )?${DAY}(?:${YEAR})?${END}`,
  `(?<word>${WORDS.join('|')})${END}`,
  `(?:(?<which>next|last|this) )?${FULL_WEEKDAY}${END}`,
]

/** @throws {ToolError} when the date does not exist */
export function readDate(parts: Readonly<Record<string, string | undefined>>): WrittenDate {
  const { year, number, month, day, nth, weekday, word, which } = parts
  if (word) return { days: today => [today.add({ days: WORDS.indexOf(word) - 1 })] }
  const dayOfWeek = numberOf(WEEKDAYS, weekday)
  const monthOfYear = Number(number ?? numberOf(MONTHS, month))
  if (nth) return inYear(one => nthWeekday(one, monthOfYear, ORDINALS.indexOf(nth), dayOfWeek), year)
  if (!day) return nearWeekday(dayOfWeek, which)
  return inYear(one => checkDate(one, monthOfYear, Number(day)), year, dayOfWeek)
}

/** A date on one day of each year: of the year written, else of the next one from a day on. */
function inYear(on: (year: number) => PlainDate, year?: string, dayOfWeek = 0): WrittenDate {
  const agreeing = (day: PlainDate) => {
    if (!dayOfWeek || day.dayOfWeek === dayOfWeek) return day
    const named = WEEKDAYS[dayOfWeek - 1]
    throw new ToolError(`${day} is a ${WEEKDAYS[day.dayOfWeek - 1]}, not a ${named}: correct one of them.`)
  }
  if (year) {
    const day = agreeing(on(Number(year)))
    return { days: () => [day], isFixed: true }
  }
  return {
    // A leap day can be eight years away.
    days: (_, from) => {
      const existing = [...Array(9).keys()].flatMap(later => attempt(() => on(from.year + later)) ?? [])
      return existing.length > 0 ? existing : [on(from.year)]
    },
    // The weekday is checked once the year is known.
    note: day => `No year was given: ${agreeing(day).year}, the next one, is assumed.`,
  }
}

/** `Friday`, on or after a day; `next Friday`, after today; `last Friday`, before it. */
function nearWeekday(dayOfWeek: number, which: string | undefined): WrittenDate {
  const ahead = (day: PlainDate) => day.add({ days: (dayOfWeek - day.dayOfWeek + 7) % 7 })
  const written = `${which ? `${which} ` : ''}${WEEKDAYS[dayOfWeek - 1]}`
  return {
    days: (today, from) => {
      if (which === 'next') return [ahead(today.add({ days: 1 }))]
      if (which === 'last') return [ahead(today.subtract({ days: 7 }))]
      return which ? [ahead(today)] : [ahead(from), ahead(from).add({ days: 7 })]
    },
    note: day => `"${written}" is read as ${formatDate(day)}.`,
  }
}

function nthWeekday(year: number, month: number, index: number, dayOfWeek: number): PlainDate {
  const first = checkDate(year, month, 1)
  const days = (dayOfWeek - first.dayOfWeek + 7) % 7
  const ofMonth = [...Array(5).keys()]
    .map(weeks => first.add({ days, weeks }))
    .filter(day => day.month === month)
  const day = ORDINALS[index] === 'last' ? ofMonth.at(-1) : ofMonth[index]
  if (day) return day
  throw new ToolError(`${MONTHS[month - 1]} ${year} has only ${ofMonth.length} ${WEEKDAYS[dayOfWeek - 1]}s.`)
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

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
