import type { Temporal } from 'temporal-polyfill'
import { formatClock, formatDate, formatOffset } from './format.ts'
import type { Zone } from './zone.ts'

/** What a local time in a zone is: one moment, or two where a clock change skips or repeats it. */
export interface WallReadings {
  times: readonly Temporal.ZonedDateTime[]
  /** The fact about the clock change, when there is one. */
  note?: string
}

/** Reads a local time in a zone, and says so when the clocks there skipped or repeated it. */
export function readWall(plain: Temporal.PlainDateTime, zone: Zone): WallReadings {
  const earlier = plain.toZonedDateTime(zone.id, { disambiguation: 'earlier' })
  const later = plain.toZonedDateTime(zone.id, { disambiguation: 'later' })
  if (earlier.equals(later)) return { times: [earlier] }
  const written = `${formatDate(plain)} ${formatClock(plain)}`
  const change = describeChange(earlier, later)
  if (earlier.toPlainDateTime().equals(plain)) {
    const offsets = `first at ${formatOffset(earlier)}, then at ${formatOffset(later)}`
    return {
      times: [earlier, later],
      note: `${written} happens twice in ${zone.label}, ${offsets}: ${change}. Both readings are given.`,
    }
  }
  // "Later" reads the skipped time by the offset that held before the change, "earlier" by the one after it.
  const readings =
    `Read by the clock before the change (${formatOffset(earlier)}) it is ${nearby(later, plain)}, ` +
    `by the clock after it (${formatOffset(later)}) it is ${nearby(earlier, plain)}; both are given.`
  return {
    times: [later, earlier],
    note: `${written} does not exist in ${zone.label}: ${change}. ${readings}`,
  }
}

/** A time by its clock, and by its date where that is not the date of the time asked for. */
function nearby(time: Temporal.ZonedDateTime, asked: Temporal.PlainDateTime): string {
  const sameDay = time.toPlainDate().equals(asked.toPlainDate())
  return sameDay ? formatClock(time) : `${formatDate(time)} ${formatClock(time)}`
}

/** `the clocks go forward from 02:00 to 03:00`; with dates where those differ. */
function describeChange(earlier: Temporal.ZonedDateTime, later: Temporal.ZonedDateTime): string {
  const shift = later.offsetNanoseconds - earlier.offsetNanoseconds
  const direction = shift > 0 ? 'forward' : 'back'
  const change = later.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')
  if (!change) return `the clocks go ${direction}`
  const after = change.toPlainDateTime()
  const before = after.subtract({ nanoseconds: shift })
  const dated = before.toPlainDate().equals(after.toPlainDate())
    ? [formatClock(before), formatClock(after)]
    : [before, after].map(time => `${formatDate(time)} ${formatClock(time)}`)
  return `the clocks go ${direction} from ${dated[0]} to ${dated[1]}`
}
