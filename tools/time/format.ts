import type { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { WEEKDAYS } from './calendar.ts'
import type { Span } from './parse-duration.ts'
import { type Zone, zoneTitle } from './zone.ts'

/** `Sunday 2026-03-01`. */
export function formatDate(
  date: Temporal.PlainDate | Temporal.PlainDateTime | Temporal.ZonedDateTime,
): string {
  if (date.year < 1 || date.year > 9999) {
    throw new ToolError('The result lies outside the years 0001 to 9999, which is as far as can be reckoned.')
  }
  const year = String(date.year).padStart(4, '0')
  return `${WEEKDAYS[date.dayOfWeek - 1]} ${year}-${two(date.month)}-${two(date.day)}`
}

/** `15:00`, or `15:00:07.25` where there is more to tell; `always` shows seconds even when they are zero. */
export function formatClock(time: Temporal.PlainDateTime | Temporal.ZonedDateTime, always = false): string {
  const fraction = time.millisecond * 1_000_000 + time.microsecond * 1000 + time.nanosecond
  const tail = fraction === 0 ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`
  const seconds = always || time.second > 0 || tail !== '' ? `:${two(time.second)}${tail}` : ''
  return `${two(time.hour)}:${two(time.minute)}${seconds}`
}

/** `UTC+09:00`. */
export function formatOffset(time: Temporal.ZonedDateTime): string {
  return `UTC${time.offset}`
}

/** `Friday 2026-11-20 15:00 New York (America/New_York, UTC-05:00)`; without a zone, only the date and clock. */
export function formatMoment(time: Temporal.ZonedDateTime, zone: Zone | undefined): string {
  const clock = `${formatDate(time)} ${formatClock(time)}`
  return zone ? `${clock} ${placeAt(time, zone)}` : clock
}

/** `Tokyo (Asia/Tokyo): Saturday 2026-11-21 08:18:03 UTC+09:00`. */
export function formatNow(time: Temporal.ZonedDateTime, zone: Zone): string {
  return `${zoneTitle(zone)}: ${formatDate(time)} ${formatClock(time, true)} ${formatOffset(time)}`
}

/** `2 months 3 days`, with a sign in front only when it is negative. */
export function formatSpan(span: Partial<Span>): string {
  const units = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const
  const parts = units
    .map(unit => [unit, Math.abs(span[unit] ?? 0)] as const)
    .filter(([, amount]) => amount !== 0)
    .map(([unit, amount]) => count(amount, unit))
  return parts.join(' ') || '0 seconds'
}

/** `1 day`, `2 days`. */
export function count(amount: number, units: string): string {
  return `${decimal(amount)} ${Math.abs(amount) === 1 ? units.slice(0, -1) : units}`
}

/** At most six decimals, and no exponent. */
export function decimal(amount: number): string {
  return amount
    .toFixed(6)
    .replace(/\.?0+$/, '')
    .replace(/^-0$/, '0')
}

function placeAt(time: Temporal.ZonedDateTime, zone: Zone): string {
  if (zone.detail === '' && zone.label.startsWith('UTC')) return zone.label
  return `${zone.label} (${zone.detail ? `${zone.detail}, ` : ''}${formatOffset(time)})`
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
