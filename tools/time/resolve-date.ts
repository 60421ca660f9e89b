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

/**
 * The day that a date as written means.
 * @param near the day of the anchor, if there is one
 */
export function resolveDate(
  date: WrittenDate,
  today: Temporal.PlainDate,
  notes: Set<string>,
  near?: { day: Temporal.PlainDate; side: 1 | -1 },
): Temporal.PlainDate {
  switch (date.kind) {
    case 'day':
      return date.day
    case 'relative':
      return today.add({ days: date.days })
    case 'yearless': {
      const { month, day } = date
      const isRight = (year: number) => {
        const real = Temporal.PlainDate.from({ year, month, day })
        return real.day === day && Temporal.PlainDate.compare(real, near!.day) * near!.side >= 0
      }
      // This year's, or the nearest on the right side. A leap day can be eight years away.
      const years = Array.from(
        { length: 10 },
        (_, count) => (near?.day.year ?? 0) + count * (near?.side ?? 0),
      )
      const year = near ? [today.year, ...years].find(isRight)! : today.year
      notes.add(`No year was given: ${year} is assumed.`)
      return checkDate(year, month, day)
    }
    case 'weekday': {
      const { weekday, word } = date
      const name = WEEKDAYS[weekday - 1]
      if (!word && !near) {
        throw new ToolError(
          `"${name}" alone does not say which date: write "next ${name}", or the date as 2026-03-01.`,
        )
      }
      const from = word ? today : near!.day
      const ahead = (weekday - from.dayOfWeek + 7) % 7
      const bare = near?.side === -1 && ahead > 0 ? ahead - 7 : ahead
      const day = from.add({ days: word ? { next: ahead || 7, this: ahead, last: ahead - 7 }[word] : bare })
      if (word === 'next' && day.weekOfYear === today.weekOfYear) {
        const first = `"Next ${name}" is read as the first one after today, ${formatDate(day)}`
        notes.add(`${first}; that of next week is ${formatDate(day.add({ weeks: 1 }))}.`)
      }
      return day
    }
  }
}
