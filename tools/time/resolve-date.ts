import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { moveDate } from './business-days.ts'
import { formatDate, WEEKDAYS } from './format.ts'
import { checkDate, type WrittenDate } from './parse-date.ts'

/** The moment that a date without a year must precede or follow. */
export interface Anchor {
  /** 1 after the anchor, -1 before it. */
  readonly side: 1 | -1
  readonly at: Temporal.ZonedDateTime
}

/**
 * The day that a written date means; `from` when none is written.
 * @param from where the search for a yearless date or bare weekday starts
 */
export function resolveDate(
  date: WrittenDate | undefined,
  today: Temporal.PlainDate,
  notes: Set<string>,
  from: Temporal.PlainDate,
  side: Anchor['side'] | undefined,
): Temporal.PlainDate {
  if (!date) {
    const which = { 0: "today's", 1: 'the next one', '-1': 'the last one' }[side ?? 0]
    notes.add(`No date was given: ${which} is assumed, ${formatDate(from)}.`)
    return from
  }
  if (date.kind === 'day') return date.day
  if (date.kind === 'relative') return moveDate(today, date.span)
  if (date.kind === 'yearless') {
    const { month, day } = date
    const isRight = (year: number) => {
      const real = Temporal.PlainDate.from({ year, month, day })
      return real.day === day && Temporal.PlainDate.compare(real, from) * side! >= 0
    }
    // This year's, or the nearest on the right side. A leap day can be eight years away.
    const years = Array.from({ length: 10 }, (_, count) => from.year + count * (side ?? 1))
    const year = side ? [today.year, ...years].find(isRight)! : today.year
    notes.add(`No year was given: ${year} is assumed.`)
    return checkDate(year, month, day)
  }
  const { weekday, word, week } = date
  const name = WEEKDAYS[weekday - 1]
  if (week !== undefined) return today.add({ days: weekday - today.dayOfWeek + 7 * week })
  if (!word && !side) {
    throw new ToolError(
      `"${name}" alone does not say which date: write "next ${name}", or the date as 2026-03-01.`,
    )
  }
  const near = word ? today : from
  const ahead = (weekday - near.dayOfWeek + 7) % 7
  const bare = side === -1 && ahead > 0 ? ahead - 7 : ahead
  const day = near.add({ days: word ? { next: ahead || 7, this: ahead, last: ahead - 7 }[word] : bare })
  if (word === 'next' && day.weekOfYear === today.weekOfYear) {
    const first = `"Next ${name}" is read as the first one after today, ${formatDate(day)}`
    notes.add(`${first}; that of next week is ${formatDate(day.add({ weeks: 1 }))}.`)
  }
  return day
}
