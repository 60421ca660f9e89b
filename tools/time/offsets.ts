import { Temporal } from 'temporal-polyfill'
import type { Zone, ZoneMatch } from './zone.ts'

const ZERO =
  /^(?:(utc ?0?|z|zulu|uct|universal|(?:coordinated )?universal time|etc\/(?:utc|uct|zulu|universal))|gmt ?0?|greenwich(?: mean time)?|etc\/(?:gmt0?|greenwich))$/
/** The extremes of real UTC offsets, in minutes. */
const [EARLIEST, LATEST] = [-12 * 60, 14 * 60]

/** True when the text is clearly meant as an offset, even one out of range. */
export function looksLikeOffset(text: string): boolean {
  return /^(?:(?:utc|gmt)\s*)?[+\-\u2212\u2013]\s*\d/i.test(text.trim())
}

/** Reads `UTC`, `GMT`, `Z`, `UTC+5:30`, `GMT-3`, `+05:30`, `-0800`, `Etc/GMT+5`; from UTC-12:00 to UTC+14:00. */
export function findOffset(text: string): ZoneMatch | undefined {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/[\u2212\u2013]/g, '-')
  const zero = ZERO.exec(name)
  if (zero) return match(0, zero[1] ? 'UTC' : 'GMT')
  const parts = /^(etc\/gmt|utc|gmt)?\s*([+-])\s*(\d{1,2})(?::?([0-5]\d))?$/.exec(name)
  if (!parts) return undefined
  const [, prefix, sign, hours, minutes = 0] = parts
  const isPosix = prefix === 'etc/gmt'
  const offset = (Number(hours) * 60 + Number(minutes)) * ((sign === '-') === isPosix ? 1 : -1)
  if (offset < EARLIEST || offset > LATEST) return undefined
  if (!isPosix || offset === 0) return match(offset, isPosix ? 'GMT' : undefined)
  // POSIX reverses the sign: `Etc/GMT+5` is west of Greenwich, five hours behind UTC.
  const isReversed = `Etc/GMT${sign}${hours} has its sign reversed, as POSIX writes it`
  return match(offset, undefined, `${isReversed}: it is UTC${toId(offset)}.`)
}

/** `+05:30`. */
function toId(minutes: number): string {
  const clock = new Temporal.PlainTime(Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes % 60))
  return `${minutes < 0 ? '-' : '+'}${clock.toString({ smallestUnit: 'minute' })}`
}

function match(minutes: number, label?: string, ...notes: string[]): ZoneMatch {
  const id = minutes === 0 ? 'UTC' : toId(minutes)
  const zone: Zone = { id, label: label ?? (minutes === 0 ? 'UTC' : `UTC${id}`), detail: '' }
  return { kind: 'offset', readings: [zone], notes }
}
