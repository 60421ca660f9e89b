import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { formatDate, MONTHS } from './format.ts'

type PlainDate = Temporal.PlainDate

/** Whether to look for a day after the anchor (1), before it (-1) or around it (0). */
type Side = 1 | 0 | -1

/** The moment that a date without a year must precede or follow. */
export interface Anchor {
  readonly side: Side
  readonly at: Temporal.ZonedDateTime
}

/** A date as written. */
export interface WrittenDate {
  /** The days it can mean, the likeliest first; `from` is the anchor's day. */
  readonly days: (today: PlainDate, from: PlainDate, side: Side) => readonly PlainDate[]
  /** Whether it means the same day whenever it is read. */
  readonly isFixed?: boolean
  /** Says what was assumed. */
  readonly note?: (day: PlainDate, today: PlainDate) => string | undefined
}

/**
 * The day that a written date means.
 * @param timesOn the moments meant if it is this day; picks among the days that an incomplete date can mean
 */
export function resolveDate(
  date: WrittenDate | undefined,
  today: PlainDate,
  { side, at }: Anchor,
  timesOn: (day: PlainDate) => readonly Temporal.ZonedDateTime[],
  notes: Set<string>,
): PlainDate {
  const from = at.toPlainDate()
  const days = date?.days(today, from, side) ?? [from, from.add({ days: side })]
  const isRight = (day: PlainDate) =>
    timesOn(day).every(time => Temporal.ZonedDateTime.compare(time, at) * side >= 0)
  const day = days.length === 1 ? days[0]! : (days.find(isRight) ?? days.at(-1)!)
  const which = { 0: "today's", 1: 'the next one', '-1': 'the last one' }[side]
  const note = date
    ? date.note?.(day, today)
    : `No date was given: ${which} is assumed, ${formatDate(timesOn(day)[0]!)}.`
  if (note) notes.add(note)
  return day
}

/** Pattern source for a year after a date; captures the year, or `next`, `this` or `last`. */
export const YEAR =
  '(?:(?:,? +(?:of +|in +)?|, *|[/-])(?<year>\\d{4})(?![\\d:]| ?h)|,? +(?:of +)?(?<word>next|this|last) year(?![a-z]))?'
/** Years, months and weeks from the present one. */
export const OFFSETS: Readonly<Record<string, number>> = { next: 1, coming: 1, last: -1, past: -1 }

/** A date on one day of each year: of the year written, else of this year or the nearest on the right side. */
export function inYear(on: (year: number) => PlainDate, year?: string, word?: string): WrittenDate {
  if (year) return { days: () => [on(Number(year))], isFixed: true }
  if (word) return { days: today => [on(today.year + (OFFSETS[word] ?? 0))] }
  return {
    days: (today, from, side) => {
      // A leap day can be eight years away.
      const years = [...Array(side && 10).keys()].map(count => from.year + count * side)
      let failure: unknown
      const days = [today.year, ...years].flatMap(one => {
        try {
          return [on(one)]
        } catch (error) {
          failure ??= error
          return []
        }
      })
      if (days.length > 0) return days
      throw new ToolError(`No year was given, so ${today.year} is assumed. ${(failure as Error).message}`)
    },
    note: day => `No year was given: ${day.year} is assumed.`,
  }
}

/** @throws {ToolError} when the year has no such day, or is not 1 to 9999 */
export function checkDate(year: number, month: number, day: number): PlainDate {
  if (year < 1 || year > 9999)
    throw new ToolError(`Year ${year} is out of range: years run from 0001 to 9999.`)
  if (month < 1 || month > 12) throw new ToolError(`Month ${month} does not exist: months run from 01 to 12.`)
  const whole = new Temporal.PlainYearMonth(year, month)
  if (day >= 1 && day <= whole.daysInMonth) return whole.toPlainDate({ day })
  const written = `${whole}-${String(day).padStart(2, '0')}`
  throw new ToolError(
    `${written} does not exist: ${MONTHS[month - 1]} ${year} has ${whole.daysInMonth} days.`,
  )
}
