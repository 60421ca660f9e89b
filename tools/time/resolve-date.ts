import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { formatDate, WEEKDAYS } from './format.ts'
import { checkDate, type WrittenDate } from './parse-date.ts'

/** The moment that a date without a year must precede or follow. */
export interface Anchor {
  /** 1 after the anchor, -1 before it, 0 on its day. */
  readonly side: 1 | 0 | -1
  readonly at: Temporal.ZonedDateTime
}

/**
 * The day that a written date means.
 * @param isRight whether a day lies on the anchor's side; picks among the days that an incomplete date can mean
 */
export function resolveDate(
  date: WrittenDate | undefined,
  today: Temporal.PlainDate,
  { side, at }: Anchor,
  isRight: (day: Temporal.PlainDate) => boolean,
  notes: Set<string>,
): Temporal.PlainDate {
  const from = at.toPlainDate()
  const pick = (days: readonly Temporal.PlainDate[]) => days.find(isRight) ?? days.at(-1)
  if (!date) {
    const day = pick([from, from.add({ days: side })])!
    const which = { 0: "today's", 1: 'the next one', '-1': 'the last one' }[side]
    notes.add(`No date was given: ${which} is assumed, ${formatDate(day)}.`)
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
  throw new ToolError(
    `"${name}" alone does not say which date: write "next ${name}", or the date as 2026-03-01.`,
  )
}
