import { Temporal } from 'temporal-polyfill'
import { isoDay, WEEKDAYS } from './calendar.ts'
import { formatDate } from './format.ts'
import { type Reckoning, readMoments } from './moments.ts'

const GREGORIAN_START = Temporal.PlainDate.from('1582-10-15')

/** Weekday, ISO week and day of the year of a date; each date once when the text has several readings. */
export function weekday(text: string, from: string | undefined, reckoning: Reckoning): string[] {
  const lines = new Set<string>()
  for (const { time } of readMoments(text, from, reckoning)) {
    const date = time.toPlainDate()
    if (Temporal.PlainDate.compare(date, GREGORIAN_START) < 0) {
      reckoning.notes.add(
        'Before 1582-10-15 this is the Gregorian calendar carried back (ISO 8601), not the Julian one of the time.',
      )
    }
    lines.add(describe(date))
  }
  return [...lines]
}

function describe(date: Temporal.PlainDate): string {
  formatDate(date)
  const week = `${String(date.yearOfWeek).padStart(4, '0')}-W${String(date.weekOfYear).padStart(2, '0')}`
  const day = isoDay(date)
  return (
    `${day} is a ${WEEKDAYS[date.dayOfWeek - 1]}, in ISO week ${week} (${week}-${date.dayOfWeek}), ` +
    `day ${date.dayOfYear} of ${date.daysInYear}.`
  )
}
