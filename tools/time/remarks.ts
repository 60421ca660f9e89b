import type { Temporal } from 'temporal-polyfill'
import { formatClock, formatDate, formatMoment, formatOffset } from './format.ts'
import type { Moment, Reckoning } from './moments.ts'
import type { Zone } from './zone.ts'

/** How many years ahead today's clock rules are assumed to hold. */
const YEARS_OF_TRUST = 10

/** Follows clock arithmetic without a zone. */
export const ZONELESS = 'No zone was named: clock changes are not reckoned with. Name a place if they matter.'

/** A moment as another zone's clock shows it. */
export function inZone({ time }: Moment, zone: Zone, reckoning: Reckoning): string {
  const there = time.withTimeZone(zone.id)
  noteAbbreviation(there, zone, reckoning)
  return formatMoment(there, zone)
}

/** Adds notes on a moment: its place is not on the abbreviation's clock, or its future rules are uncertain. */
export function noteMoment({ time, zone }: Moment, reckoning: Reckoning): void {
  if (zone === undefined) return
  noteAbbreviation(time, zone, reckoning)
  const year = reckoning.now.toZonedDateTimeISO('UTC').year
  if (zone.detail === zone.id && time.year > year + YEARS_OF_TRUST) {
    reckoning.notes.add('Clock rules so far ahead may still change: the present rules are assumed.')
  }
}

/** Notes when the place behind an abbreviation observes another offset: New York in July is not on EST. */
export function noteAbbreviation(time: Temporal.ZonedDateTime, zone: Zone, { notes }: Reckoning): void {
  if (zone.keptBy === undefined) return
  const there = time.withTimeZone(zone.keptBy)
  if (there.offset === time.offset) return
  notes.add(
    `${zone.label} (${zone.detail}) is always ${formatOffset(time)}, but ${zone.keptBy} is at ${formatOffset(there)} ` +
      `then, where it is ${formatDate(there)} ${formatClock(there)}. Name ${zone.keptBy} for its local time.`,
  )
}
