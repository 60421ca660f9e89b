import { Temporal } from 'temporal-polyfill'
import type { Span } from './parse-duration.ts'

/** Adds a span's years to days, then its business days. */
export function moveDate(date: Temporal.PlainDate, { duration, businessDays = 0 }: Span): Temporal.PlainDate {
  const { years, months, weeks, days } = duration
  return addBusinessDays(date.add({ years, months, weeks, days }), businessDays)
}

/** Adds (or subtracts) weekdays; ignores holidays. */
function addBusinessDays(date: Temporal.PlainDate, count: number): Temporal.PlainDate {
  const step = Math.sign(count)
  let day = date
  // On a weekend, start from the working day behind it, seen in the direction of counting.
  while (count !== 0 && isWeekend(day)) day = day.subtract({ days: step })
  day = day.add({ weeks: Math.trunc(count / 5) })
  for (let left = count % 5; left !== 0; left -= isWeekend(day) ? 0 : step) day = day.add({ days: step })
  return day
}

/** Weekdays from the first date (inclusive) to the second (exclusive). */
export function countBusinessDays(from: Temporal.PlainDate, to: Temporal.PlainDate): number {
  if (Temporal.PlainDate.compare(from, to) > 0) return countBusinessDays(to, from)
  const { weeks, days } = from.until(to, { largestUnit: 'weeks' })
  const rest = Array.from({ length: days }, (_, count) => from.add({ days: count }))
  return weeks * 5 + rest.filter(day => !isWeekend(day)).length
}

function isWeekend({ dayOfWeek }: Temporal.PlainDate): boolean {
  return dayOfWeek > 5
}
