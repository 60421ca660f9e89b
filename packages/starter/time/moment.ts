import type { Temporal } from 'temporal-polyfill'
import { formatClock, formatDate, formatMoment, formatOffset } from './format.ts'
import { confirmDate, daysOf } from './parse-date.ts'
import { parseTime, TIME_FORMS, unread, type WrittenTime } from './parse-time.ts'
import { findZone, NO_ZONE, readZone, type Zone, zoneTitle } from './zone.ts'

/** What a written time means. */
export interface Moment {
  readonly time: Temporal.ZonedDateTime
  /** `NO_ZONE` when neither the text nor the call names one; then only the local clock matters. */
  readonly zone: Zone
  /** Whether no time of day was written, so that 00:00 is assumed. */
  readonly isDate: boolean
  readonly written: WrittenTime
}

export const CLOCKS_IGNORED = 'No zone was named: clock changes are ignored. Name a place if they matter.'
export const ASSUMED_MIDNIGHT = 'No time of day was given: 00:00 is assumed.'

/** What the operations share. */
export interface TimeContext {
  readonly now: Temporal.Instant
  /** The zone for times that name none. */
  readonly zone: string | undefined
  /** The call and its task: their dates settle one with two meanings. */
  readonly texts: string
  /** What was assumed: in order, without duplicates. */
  readonly notes: Set<string>
}

/**
 * Reads a time.
 * @param start what an incomplete date must follow, if not the beginning of today
 * @throws {ToolError} when the text cannot be read
 */
export function readMoment(text: string, context: TimeContext, start?: Moment): Moment {
  const { now, notes } = context
  const written = parseTime(text, now)
  const { instant, date, clock, note } = written
  const zone = zoneOf(written, context)
  if (note) notes.add(note)
  if (instant) {
    const shown = zone === NO_ZONE ? readZone('UTC', notes) : zone
    return { time: instant.toZonedDateTimeISO(shown.id), zone: shown, isDate: false, written }
  }
  if (!date?.year && zone === NO_ZONE)
    notes.add('No zone was named: the day is that of UTC. Name a place for its local day.')
  const day = dayOf(written, zone, now, start)
  const assumed = date ? confirmDate(date, day) : `No date was given: ${formatDate(day)} is assumed.`
  if (assumed) notes.add(assumed)
  // Where a clock change skips midnight, the day starts later.
  if (!clock) return { time: day.toZonedDateTime(zone.id), zone, isDate: true, written }
  if (clock.isMidnight)
    notes.add(`Midnight is read as the start of ${formatDate(day)}; its end is 00:00 of the day after.`)
  return { time: readWall(day.toPlainDateTime(clock.time), zone, notes), zone, isDate: false, written }
}

/** @throws {ToolError} when what stands beside date and time of day names no zone */
function zoneOf({ rest }: WrittenTime, { zone, notes }: TimeContext): Zone {
  const outer = zone === undefined ? NO_ZONE : readZone(zone, notes)
  if (rest.length === 0) return outer
  const named = findZone(rest.join(' '), notes)
  if (!named) {
    const none = rest.filter(piece => !findZone(piece, new Set()))
    throw unread(none.length > 0 ? none : rest, TIME_FORMS)
  }
  if (outer !== NO_ZONE && outer.id !== named.id)
    notes.add(
      `The time names its own zone, ${zoneTitle(named)}, so "${zone}" is ignored: "to_zones" shows others.`,
    )
  return named
}

/** The first day that can be meant on which the time follows the start. */
function dayOf({ date, clock }: WrittenTime, zone: Zone, now: Temporal.Instant, start?: Moment) {
  const today = now.toZonedDateTimeISO(zone.id).toPlainDate()
  const anchor = start?.time.withTimeZone(zone.id) ?? today.toZonedDateTime(zone.id)
  const from = anchor.toPlainDate()
  const days = date ? daysOf(date, today, from) : [from, from.add({ days: 1 })]
  const moment = { timeZone: zone.id, plainTime: clock?.time }
  return days.find(day => day.toZonedDateTime(moment).since(anchor).sign >= 0) ?? days.at(-1)!
}

/**
 * The moment of a local time: the first one, with a note, when a clock change repeats it. A time that a change skips is
 * read by the clock before the change, as RFC 5545 does, with a note.
 */
export function readWall(
  plain: Temporal.PlainDateTime,
  zone: Zone,
  notes: Set<string>,
): Temporal.ZonedDateTime {
  const time = plain.toZonedDateTime(zone.id)
  const later = plain.toZonedDateTime(zone.id, { disambiguation: 'later' })
  const written = `${formatDate(plain)} ${formatClock(plain)}`
  if (!time.toPlainDateTime().equals(plain))
    notes.add(
      `${written} does not exist in ${zone.label}, where clocks skip it: by the clock before the change it is read as ` +
        `${formatDate(time)} ${formatClock(time)}.`,
    )
  else if (!later.equals(time))
    notes.add(
      `${written} happens twice in ${zone.label}: the first, at ${formatOffset(time)}, is taken. For the second write ` +
        `${formatDate(plain).slice(-10)}T${formatClock(plain)}${later.offset}.`,
    )
  return time
}

/** Formats a moment for the answer, on its own clock or on another zone's, and notes what was assumed. */
export function show({ time, zone, isDate }: Moment, { notes }: TimeContext, shown = zone): string {
  if (isDate) notes.add(ASSUMED_MIDNIGHT)
  const there = time.withTimeZone(shown.id)
  noteOffset(there, shown, notes)
  return formatMoment(there, shown)
}

/** Notes when the place behind an abbreviation observes another offset: New York in July is not on EST. */
export function noteOffset(time: Temporal.ZonedDateTime, zone: Zone, notes: Set<string>): void {
  const there = time.withTimeZone(zone.observedIn ?? zone.id)
  if (there.offset === time.offset) return
  notes.add(
    `${zone.label} is always ${formatOffset(time)}, but ${zone.observedIn} is at ${formatOffset(there)} then, ` +
      `where it is ${formatDate(there)} ${formatClock(there)}. Name ${zone.observedIn} for its local time.`,
  )
}
