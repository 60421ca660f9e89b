import type { Temporal } from 'temporal-polyfill'
import { formatClock, formatDate, formatMoment, formatOffset } from './format.ts'
import type { Zone } from './zone.ts'

/** What the operations share: the present, and the lines after the answer. */
export interface Reckoning {
  readonly now: Temporal.Instant
  /** In order, without duplicates. */
  readonly notes: Set<string>
  /** Errors about unreadable zones when others could be read. */
  readonly failures: Set<string>
}

/** How many years ahead today's clock rules are assumed to hold. */
const YEARS_OF_TRUST = 10

/** Follows clock arithmetic without a zone. */
export const ZONELESS = 'No zone was named: clock changes are not reckoned with. Name a place if they matter.'

/** Formats a moment of the answer, with notes on its zone. */
export function show(time: Temporal.ZonedDateTime, zone: Zone | undefined, reckoning: Reckoning): string {
  if (zone) noteZone(time, zone, reckoning)
  return formatMoment(time, zone)
}

/**
 * Notes when future rules are uncertain, and when the place behind an abbreviation observes another offset: New York
 * in July is not on EST.
 */
export function noteZone(time: Temporal.ZonedDateTime, zone: Zone, { now, notes }: Reckoning): void {
  const { year } = now.toZonedDateTimeISO('UTC')
  if (zone.detail === zone.id && time.year > year + YEARS_OF_TRUST)
    notes.add('Clock rules so far ahead may still change: the present rules are assumed.')
  const there = time.withTimeZone(zone.keptBy ?? zone.id)
  if (there.offset === time.offset) return
  notes.add(
    `${zone.label} (${zone.detail}) is always ${formatOffset(time)}, but ${zone.keptBy} is at ${formatOffset(there)} ` +
      `then, where it is ${formatDate(there)} ${formatClock(there)}. Name ${zone.keptBy} for its local time.`,
  )
}
