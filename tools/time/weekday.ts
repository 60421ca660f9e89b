import { isoDate, WEEKDAYS } from './format.ts'
import { type Reckoning, readMoments } from './moments.ts'

const GREGORIAN_START = '1582-10-15'

/** Weekday, ISO week and day of the year of a date; each date once when the text has several readings. */
export function weekday(text: string, from: string | undefined, reckoning: Reckoning): string[] {
  const lines = readMoments(text, from, reckoning).map(({ time }) => {
    const day = isoDate(time)
    if (day < GREGORIAN_START) {
      reckoning.notes.add(
        'Before 1582-10-15 this is the Gregorian calendar carried back (ISO 8601), not the Julian one of the time.',
      )
    }
    const week = `${String(time.yearOfWeek).padStart(4, '0')}-W${String(time.weekOfYear).padStart(2, '0')}`
    return (
      `${day} is a ${WEEKDAYS[time.dayOfWeek - 1]}, in ISO week ${week} (${week}-${time.dayOfWeek}), ` +
      `day ${time.dayOfYear} of ${time.daysInYear}.`
    )
  })
  return [...new Set(lines)]
}
