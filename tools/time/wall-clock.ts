import type { Temporal } from 'temporal-polyfill'
import { formatClock, formatDate, formatOffset } from './format.ts'
import type { Zone } from './zone.ts'

/**
 * The moments that a local time can mean: one, or two with a note when a clock change skips or repeats it. For a
 * skipped time, the reading by the clock before the change comes first.
 */
export function readWall(
  plain: Temporal.PlainDateTime,
  zone: Zone,
  notes: Set<string>,
): readonly Temporal.ZonedDateTime[] {
  const earlier = plain.toZonedDateTime(zone.id, { disambiguation: 'earlier' })
  const later = plain.toZonedDateTime(zone.id, { disambiguation: 'later' })
  if (earlier.equals(later)) return [earlier]
  const written = `${formatDate(plain)} ${formatClock(plain)}`
  const change = describeChange(earlier, later)
  if (earlier.toPlainDateTime().equals(plain)) {
    const offsets = `first at ${formatOffset(earlier)}, then at ${formatOffset(later)}`
    notes.add(`${written} happens twice in ${zone.label}, ${offsets}: ${change}. Both readings are given.`)
    return [earlier, later]
  }
  notes.add(
    `${written} does not exist in ${zone.label}: ${change}. Read by the clock before the change ` +
      `(${formatOffset(earlier)}) it is ${clockOn(later, plain)}, by the clock after it (${formatOffset(later)}) it is ` +
      `${clockOn(earlier, plain)}; both are given.`,
  )
  return [later, earlier]
}

/** `the clocks go forward from 02:00 to 03:00`; with dates when they differ. */
function describeChange(earlier: Temporal.ZonedDateTime, later: Temporal.ZonedDateTime): string {
  const shift = later.offsetNanoseconds - earlier.offsetNanoseconds
  const after = earlier.getTimeZoneTransition('next')!.toPlainDateTime()
  const before = after.subtract({ nanoseconds: shift })
  const direction = shift > 0 ? 'forward' : 'back'
  return `the clocks go ${direction} from ${clockOn(before, after)} to ${clockOn(after, before)}`
}

/** The clock, with its date when that differs from the other's. */
function clockOn(
  time: Temporal.ZonedDateTime | Temporal.PlainDateTime,
  other: Temporal.PlainDateTime,
): string {
  const isSameDay = time.toPlainDate().equals(other.toPlainDate())
  return isSameDay ? formatClock(time) : `${formatDate(time)} ${formatClock(time)}`
}
