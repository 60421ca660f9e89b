import type { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { findZone, readZone } from './find-zone.ts'
import { formatClock, formatDate, formatMoment, formatOffset } from './format.ts'
import { FORMS, parseTime, type WrittenTime } from './parse-time.ts'
import { NO_ZONE, type Zone, zoneTitle } from './zone.ts'

/** One reading of a written time. */
export interface Moment {
  readonly time: Temporal.ZonedDateTime
  /** `NO_ZONE` when neither the text nor the call names one; then only the local clock matters. */
  readonly zone: Zone
  /** Whether no time of day was written, so that 00:00 is assumed. */
  readonly isDate: boolean
}

/** What the operations share. */
export interface Question {
  readonly now: Temporal.Instant
  /** The zone for times that name none. */
  readonly zone: string | undefined
  /** What was assumed: in order, without duplicates. */
  readonly notes: Set<string>
}

/** How many years ahead today's clock rules are assumed to hold. */
const YEARS_OF_TRUST = 10

/**
 * Returns the readings of a written time: one, or two when a clock change repeats it.
 * @param start what an incomplete date must follow, if not the beginning of today
 * @throws {ToolError} when the text cannot be read
 */
export function readMoments(text: string, question: Question, start?: Moment): Moment[] {
  const { now, notes } = question
  const written = parseTime(text, now)
  const { instant, date, clock, note } = written
  if (note) notes.add(note)
  const zone = zoneOf(text, written.zone, question)
  if (instant) {
    const shown = zone === NO_ZONE ? readZone('UTC') : zone
    return [{ time: instant.toZonedDateTimeISO(shown.id), zone: shown, isDate: false }]
  }
  if (!date?.isFixed && zone === NO_ZONE)
    notes.add('No zone was named: the day is that of UTC. Name a place for its local day.')
  const times = resolve(written, zone, question, start)
  return times.map(time => ({ time, zone, isDate: clock === undefined }))
}

function zoneOf(text: string, name: string, { zone, notes }: Question): Zone {
  const outer = zone === undefined ? NO_ZONE : readNoted(zone, notes)
  if (name === '') return outer
  const own = findZone(name)
  if (!own) throw new ToolError(`Cannot read "${name}" in "${text}": it is no zone. ${FORMS}`)
  if (own.note) notes.add(own.note)
  if (outer !== NO_ZONE && outer.id !== own.id)
    notes.add(
      `The time names its own zone, ${zoneTitle(own)}, so "${zone}" is ignored: "to_zones" shows others.`,
    )
  return own
}

/** Reads a zone, and notes what was assumed about its name. */
export function readNoted(name: string, notes: Set<string>): Zone {
  const zone = readZone(name)
  if (zone.note) notes.add(zone.note)
  return zone
}

/** The moments meant: of the first day on which they follow the start. */
function resolve(
  { date, clock }: WrittenTime,
  zone: Zone,
  { now, notes }: Question,
  start: Moment | undefined,
): readonly Temporal.ZonedDateTime[] {
  const today = now.toZonedDateTimeISO(zone.id).toPlainDate()
  const anchor = start?.time.withTimeZone(zone.id) ?? today.toZonedDateTime(zone.id)
  const from = anchor.toPlainDate()
  const timesOn = (day: Temporal.PlainDate, remarks = new Set<string>()) => {
    // Where a clock change skips midnight, the day starts later.
    if (!clock) return [day.toZonedDateTime(zone.id)]
    return readWall(day.add({ days: clock.isEnd ? 1 : 0 }).toPlainDateTime(clock.time), zone, remarks)
  }
  const days = date?.days(today, from) ?? [from, from.add({ days: 1 })]
  const follows = (day: Temporal.PlainDate) => timesOn(day)[0]!.since(anchor).sign >= 0
  const day = days.length === 1 ? days[0]! : (days.find(follows) ?? days.at(-1)!)
  const note = date ? date.note?.(day) : `No date was given: ${formatDate(day)} is assumed.`
  if (note) notes.add(note)
  if (clock?.isMidnight) notes.add(`Midnight is read as the start of ${formatDate(day)}; its end is 24:00.`)
  return timesOn(day, notes)
}

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

/** Formats a moment for the answer, on its own clock or on another zone's, and notes what was assumed. */
export function show({ time, zone, isDate }: Moment, question: Question, shown = zone): string {
  if (isDate) question.notes.add('No time of day was given: 00:00 is assumed.')
  const there = time.withTimeZone(shown.id)
  noteZone(there, shown, question)
  return formatMoment(there, shown)
}

/**
 * Notes when future rules are uncertain, and when the place behind an abbreviation observes another offset: New York
 * in July is not on EST.
 */
export function noteZone(time: Temporal.ZonedDateTime, zone: Zone, { now, notes }: Question): void {
  const { year } = now.toZonedDateTimeISO('UTC')
  if (zone.detail && time.year > year + YEARS_OF_TRUST)
    notes.add('Clock rules that far ahead may still change: the present ones are assumed.')
  const there = time.withTimeZone(zone.keptBy ?? zone.id)
  if (there.offset === time.offset) return
  notes.add(
    `${zone.label} is always ${formatOffset(time)}, but ${zone.keptBy} is at ${formatOffset(there)} then, ` +
      `where it is ${formatDate(there)} ${formatClock(there)}. Name ${zone.keptBy} for its local time.`,
  )
}
