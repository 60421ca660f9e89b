import type { Temporal } from 'temporal-polyfill'
import { formatClock, formatDate, formatOffset } from './format.ts'
import type { Zone } from './zone.ts'

/**
 * The moments that a local time can mean: one, or both with a note when a clock change repeats it. A time that a change
 * skips is read by the clock before the change, with a note.
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
  if (earlier.toPlainDateTime().equals(plain)) {
    const offsets = `first at ${formatOffset(earlier)}, then at ${formatOffset(later)}`
    notes.add(`${written} happens twice in ${zone.label}, ${offsets}: both are given.`)
    return [earlier, later]
  }
  notes.add(
    `${written} does not exist in ${zone.label}, where clocks skip it: by the clock before the change ` +
      `(${formatOffset(earlier)}) it is read as ${formatDate(later)} ${formatClock(later)}.`,
  )
  return [later]
}
