import { Temporal } from 'temporal-polyfill'

const MONDAY = new Temporal.PlainDate(1970, 1, 5)

/** Days from Monday to Friday since a Monday long ago; negative before it. */
export function weekdaysBefore(day: Temporal.PlainDate): number {
  return Math.floor(MONDAY.until(day).days / 7) * 5 + Math.min(day.dayOfWeek - 1, 5)
}

/** So many days from Monday to Friday after the date, or before it. */
export function addWeekdays(date: Temporal.PlainDate, days: number): Temporal.PlainDate {
  if (days === 0) return date
  // The first one after a weekend follows its Sunday; the first one before it is the last before its Saturday.
  const index = weekdaysBefore(days > 0 ? date.add({ days: 1 }) : date) + days - (days > 0 ? 1 : 0)
  return MONDAY.add({ days: index + Math.floor(index / 5) * 2 })
}
