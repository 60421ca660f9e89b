import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { formatDate, MONTHS, WEEKDAYS } from './format.ts'

/** A date as written. Every kind except `day` depends on today's date. */
export type WrittenDate =
  | { readonly kind: 'day'; readonly day: Temporal.PlainDate }
  | {
      readonly kind: 'relative'
      readonly on: (today: Temporal.PlainDate, notes: Set<string>) => Temporal.PlainDate
    }
  | { readonly kind: 'yearless'; readonly month: number; readonly day: number }
  /** In a difference the nearest such day on the right side, elsewhere invalid. */
  | { readonly kind: 'weekday'; readonly weekday: number }

/** The moment that a date without a year must precede or follow. */
export interface Anchor {
  /** 1 after the anchor, -1 before it, 0 on its day. */
  readonly side: 1 | 0 | -1
  readonly at: Temporal.ZonedDateTime
}

/**
 * The day that a written date means.
 * @param timesOn the moments meant if it is this day; picks among the days that an incomplete date can mean
 */
export function resolveDate(
  date: WrittenDate | undefined,
  today: Temporal.PlainDate,
  { side, at }: Anchor,
  timesOn: (day: Temporal.PlainDate) => readonly Temporal.ZonedDateTime[],
  notes: Set<string>,
): Temporal.PlainDate {
  const from = at.toPlainDate()
  const isRight = (day: Temporal.PlainDate) =>
    timesOn(day).every(time => Temporal.ZonedDateTime.compare(time, at) * side >= 0)
  const pick = (days: readonly Temporal.PlainDate[]) => days.find(isRight) ?? days.at(-1)
  if (!date) {
    const day = pick([from, from.add({ days: side })])!
    const which = { 0: "today's", 1: 'the next one', '-1': 'the last one' }[side]
    notes.add(`No date was given: ${which} is assumed, ${formatDate(timesOn(day)[0]!)}.`)
    return day
  }
  if (date.kind === 'day') return date.day
  if (date.kind === 'relative') return date.on(today, notes)
  if (date.kind === 'yearless') {
    // This year's, or the nearest on the right side. A leap day can be eight years away.
    const years = [today.year, ...Array.from({ length: 10 }, (_, count) => from.year + count * side)]
    const days = years.map(year => Temporal.PlainDate.from({ ...date, year }))
    const day = pick(days.filter(one => one.day === date.day)) ?? checkDate(today.year, date.month, date.day)
    notes.add(`No year was given: ${day.year} is assumed.`)
    return day
  }
  const first = from.add({ days: date.weekday - from.dayOfWeek })
  if (side) return pick([0, 1, 2].map(count => first.add({ weeks: count * side })))!
  const name = WEEKDAYS[date.weekday - 1]
  throw new ToolError(`"${name}" alone does not say which date: write "next ${name}" or 2026-03-01.`)
}

/** @throws {ToolError} when the year, or any year if none is given, has no such day, or is not 1 to 9999 */
export function checkDate(year: number | undefined, month: number, day: number): Temporal.PlainDate {
  if (year !== undefined && (year < 1 || year > 9999))
    throw new ToolError(`Year ${year} is out of range: years run from 0001 to 9999.`)
  if (month < 1 || month > 12) throw new ToolError(`Month ${month} does not exist: months run from 01 to 12.`)
  const whole = new Temporal.PlainYearMonth(year ?? 2000, month)
  if (day >= 1 && day <= whole.daysInMonth) return whole.toPlainDate({ day })
  const name = MONTHS[month - 1]
  if (year === undefined)
    throw new ToolError(`${name} ${day} does not exist: ${name} has at most ${whole.daysInMonth} days.`)
  const written = `${whole}-${String(day).padStart(2, '0')}`
  throw new ToolError(`${written} does not exist: ${name} ${year} has ${whole.daysInMonth} days.`)
}
