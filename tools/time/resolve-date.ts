import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { formatDate, WEEKDAYS } from './format.ts'
import { checkDate, type WrittenDate } from './parse-date.ts'

/** What a moment without its date or year lies on one side of. */
export interface Anchor {
  /** Of the anchor: 1 after it, -1 before. */
  readonly side: 1 | -1
  readonly at: Temporal.ZonedDateTime
}

/** The day that a date as written means. */
export function resolveDate(
  date: WrittenDate,
  today: Temporal.PlainDate,
  notes: Set<string>,
  anchor: Anchor | undefined,
): Temporal.PlainDate {
  if (date.kind === 'day') return date.day
  if (date.kind === 'relative') return today.add({ days: date.days })
  const near = anchor?.at.toPlainDate() ?? today
  if (date.kind === 'yearless') {
    const { month, day } = date
    const isRight = (year: number) => {
      const real = Temporal.PlainDate.from({ year, month, day })
      return real.day === day && Temporal.PlainDate.compare(real, near) * anchor!.side >= 0
    }
    // This year's, or the nearest on the right side. A leap day can be eight years away.
    const years = Array.from({ length: 10 }, (_, count) => near.year + count * (anchor?.side ?? 1))
    const year = anchor ? [today.year, ...years].find(isRight)! : today.year
    notes.add(`No year was given: ${year} is assumed.`)
    return checkDate(year, month, day)
  }
  const { weekday, word } = date
  const name = WEEKDAYS[weekday - 1]
  if (!word && !anchor) {
    throw new ToolError(
      `"${name}" alone does not say which date: write "next ${name}", or the date as 2026-03-01.`,
    )
  }
  const from = word ? today : near
  const ahead = (weekday - from.dayOfWeek + 7) % 7
  const bare = anchor?.side === -1 && ahead > 0 ? ahead - 7 : ahead
  const day = from.add({ days: word ? { next: ahead || 7, this: ahead, last: ahead - 7 }[word] : bare })
  if (word === 'next' && day.weekOfYear === today.weekOfYear) {
    const first = `"Next ${name}" is read as the first one after today, ${formatDate(day)}`
    notes.add(`${first}; that of next week is ${formatDate(day.add({ weeks: 1 }))}.`)
  }
  return day
}
