import { Temporal } from 'temporal-polyfill'
import type { Span } from './parse-duration.ts'

const MONDAY = new Temporal.PlainDate(1970, 1, 5)

/** Adds a span's years to days, then its business days: Monday to Friday, holidays included. */
export function moveDate(date: Temporal.PlainDate, { duration, businessDays = 0 }: Span): Temporal.PlainDate {
  const { years, months, weeks, days } = duration
  const from = date.add({ years, months, weeks, days })
  if (businessDays === 0) return from
  // From a weekend, one day ahead is Monday and one day back is Friday.
  const today = businessDays > 0 ? businessDaysBefore(from.add({ days: 1 })) - 1 : businessDaysBefore(from)
  const number = today + businessDays
  const whole = Math.floor(number / 5)
  return MONDAY.add({ weeks: whole }).add({ days: number - whole * 5 })
}

/** Weekdays from the earlier date (inclusive) to the later (exclusive). */
export function countBusinessDays(from: Temporal.PlainDate, to: Temporal.PlainDate): number {
  return Math.abs(businessDaysBefore(to) - businessDaysBefore(from))
}

/** Weekdays since a Monday long ago; negative before it. */
function businessDaysBefore(day: Temporal.PlainDate): number {
  return Math.floor(MONDAY.until(day).days / 7) * 5 + Math.min(day.dayOfWeek - 1, 5)
}
