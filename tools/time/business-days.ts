import { Temporal } from 'temporal-polyfill'
import type { Span } from './parse-duration.ts'

/** The date after a span's years to days, then its business days. */
export function moveDate(date: Temporal.PlainDate, { duration, businessDays = 0 }: Span): Temporal.PlainDate {
  const { years, months, weeks, days } = duration
  return addBusinessDays(date.add({ years, months, weeks, days }), businessDays)
}

/** The date so many days from Monday to Friday later, or earlier; holidays are not known. */
function addBusinessDays(date: Temporal.PlainDate, count: number): Temporal.PlainDate {
  const step = Math.sign(count)
  let day = date
  // From a weekend on, counting begins as if from the working day behind it.
  while (count !== 0 && isWeekend(day)) day = day.subtract({ days: step })
  day = day.add({ weeks: Math.trunc(count / 5) })
  for (let left = count % 5; left !== 0; left -= isWeekend(day) ? 0 : step) day = day.add({ days: step })
  return day
}

/** Days from Monday to Friday, the first counted and the last not. */
export function countBusinessDays(from: Temporal.PlainDate, to: Temporal.PlainDate): number {
  if (Temporal.PlainDate.compare(from, to) > 0) return countBusinessDays(to, from)
  const { weeks, days } = from.until(to, { largestUnit: 'weeks' })
  const rest = Array.from({ length: days }, (_, count) => from.add({ days: count }))
  return weeks * 5 + rest.filter(day => !isWeekend(day)).length
}

function isWeekend({ dayOfWeek }: Temporal.PlainDate): boolean {
  return dayOfWeek > 5
}
