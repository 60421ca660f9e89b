import type { Temporal } from 'temporal-polyfill'
import { UNIX, type Zone } from './zone.ts'

export const WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')
export const MONTHS =
  'January February March April May June July August September October November December'.split(' ')

/** The number, from 1, of the name with this prefix; 0 for none. */
export function numberOf(names: readonly string[], start: string | undefined): number {
  return start ? names.findIndex(name => name.toLowerCase().startsWith(start)) + 1 : 0
}

/** `Sunday 2026-03-01`. */
export function formatDate(date: { readonly year: number; readonly dayOfWeek: number }): string {
  if (date.year < 1 || date.year > 9999) throw new RangeError(`The year ${date.year} is not 1 to 9999.`)
  return `${WEEKDAYS[date.dayOfWeek - 1]} ${date.toString().slice(0, 10)}`
}

/** `15:00`, or `15:00:07.25` unless the seconds are zero. */
export function formatClock(time: Temporal.PlainDateTime | Temporal.ZonedDateTime): string {
  return time.toPlainTime().toString().replace(/:00$/, '')
}

/** `UTC+09:00`. */
export function formatOffset(time: Temporal.ZonedDateTime): string {
  return `UTC${time.offset}`
}

/**
 * `Friday 2026-11-20 15:00 New York (America/New_York, UTC-05:00)`; without a zone, only the date and clock; for Unix,
 * `Unix 1893456000`.
 */
export function formatMoment(time: Temporal.ZonedDateTime, zone: Zone): string {
  const { label, detail } = zone
  if (zone === UNIX) return `Unix ${time.epochMilliseconds / 1000}`
  const clock = `${formatDate(time)} ${formatClock(time)}`
  if (detail === '' && (label === '' || label.startsWith('UTC'))) return `${clock} ${label}`.trim()
  return `${clock} ${label} (${detail ? `${detail}, ` : ''}${formatOffset(time)})`
}

/** `2 months, 3 days`; drops the sign. A span of nothing is `0` of the unit. */
export function formatSpan(duration: Temporal.Duration, joint = ', ', unit = 'seconds'): string {
  const options = { style: 'long', milliseconds: 'numeric' } as object
  const words = duration.abs().toLocaleString('en', options)
  return words.replace(/,(?=\d)/g, '').replaceAll(', ', joint) || `0 ${unit}`
}

/** `1 day`, `2 days`, `about 1.333333 hours`; at most six decimals, never an exponent. */
export function formatCount(amount: number, units: string): string {
  const number = amount.toFixed(6).replace(/\.?0+$/, '')
  const about = Number(number) === amount ? '' : 'about '
  return `${about}${number} ${Math.abs(amount) === 1 ? units.slice(0, -1) : units}`
}
