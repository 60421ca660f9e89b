import type { Temporal } from 'temporal-polyfill'
import { formatClock, formatDate, formatMoment, formatOffset } from './format.ts'
import type { Zone } from './zone.ts'

/** One reading of a written moment. */
export interface Moment {
  readonly time: Temporal.ZonedDateTime
  /** `NO_ZONE` when neither the text nor the call names one; then only the local clock matters. */
  readonly zone: Zone
  /** `date`: no time of day was written, so 00:00 is assumed; `clock`: no date was written. */
  readonly only?: 'date' | 'clock' | undefined
}

/** What the operations share: the present, and the lines after the answer. */
export interface Reckoning {
  readonly now: Temporal.Instant
  /** The zone for times that name none. */
  readonly from: string | undefined
  /** In order, without duplicates. */
  readonly notes: Set<string>
  /** Errors about unreadable zones when others could be read. */
  readonly failures: Set<string>
}

/** How many years ahead today's clock rules are assumed to hold. */
const YEARS_OF_TRUST = 10

/** Follows a date that depends on the present day, without a zone. */
export const DAY_OF_UTC = 'No zone was named: the day is that of UTC. Name a place for its local day.'

/** Follows clock arithmetic without a zone. */
export const ZONELESS = 'No zone was named: clock changes are ignored. Name a place if they matter.'

/** Formats a moment for the answer, on its own clock or on another zone's, and notes what was assumed. */
export function show({ time, zone, only }: Moment, reckoning: Reckoning, shown = zone): string {
  if (only === 'date') reckoning.notes.add('A date names no time of day: 00:00 is assumed.')
  const there = time.withTimeZone(shown.id)
  noteZone(there, shown, reckoning)
  return formatMoment(there, shown)
}

/**
 * Notes when future rules are uncertain, and when the place behind an abbreviation observes another offset: New York
 * in July is not on EST.
 */
export function noteZone(time: Temporal.ZonedDateTime, zone: Zone, { now, notes }: Reckoning): void {
  const { year } = now.toZonedDateTimeISO('UTC')
  if (zone.detail === zone.id && time.year > year + YEARS_OF_TRUST)
    notes.add('Clock rules that far ahead may still change: the present ones are assumed.')
  const there = time.withTimeZone(zone.keptBy ?? zone.id)
  if (there.offset === time.offset) return
  notes.add(
    `${zone.label} (${zone.detail}) is always ${formatOffset(time)}, but ${zone.keptBy} is at ${formatOffset(there)} ` +
      `then, where it is ${formatDate(there)} ${formatClock(there)}. Name ${zone.keptBy} for its local time.`,
  )
}
