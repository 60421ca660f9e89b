import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { checkDay } from './calendar.ts'
import { formatDate, formatOffset } from './format.ts'
import { parseTime, type WrittenTime } from './parse-time.ts'
import { readZone } from './read-zone.ts'
import { readWall } from './wall-clock.ts'
import { type Zone, type ZoneMatch, zoneTitle } from './zone.ts'

/** One reading of a written moment. */
export interface Moment {
  /** In UTC when no zone was named: then only the clock counts. */
  readonly time: Temporal.ZonedDateTime
  /** Undefined when neither the text nor the call named a zone. */
  readonly zone: Zone | undefined
  /** True for a date without a time of day, read as 00:00. */
  readonly dateOnly: boolean
}

/** What the operations share: the present moment, and the remarks that follow the answer. */
export interface Reckoning {
  readonly now: Temporal.Instant
  /** In order, each once. */
  readonly notes: Set<string>
}

const UTC: Zone = { id: 'UTC', label: 'UTC', detail: '' }

/** Which day a date without a year means: this year's, or the one that lies on this side of today. */
export type Side = 'past' | 'future' | undefined

/**
 * All readings of a moment as written.
 * @param from the zone in which a time is read that names none itself
 * @throws {ToolError} when it cannot be read
 */
export function readMoments(
  text: string,
  from: string | undefined,
  reckoning: Reckoning,
  side?: Side,
): Moment[] {
  const written = parseTime(text)
  const match = zoneOf(written, from, reckoning)
  for (const note of match?.notes ?? []) reckoning.notes.add(note)
  const moments: Moment[] = []
  for (const zone of match?.readings ?? [undefined]) {
    for (const time of readIn(written, zone, reckoning, side)) {
      moments.push({ time, zone: zone ?? fixedZone(written), dateOnly: isDateOnly(written) })
    }
  }
  return written.bracket === undefined ? moments : agree(written, moments, reckoning)
}

/** Every zone that a list of names means, in order. */
export function readZones(names: readonly string[], { notes }: Reckoning): Zone[] {
  return names.flatMap(name => {
    const match = readZone(name)
    for (const note of match.notes) notes.add(note)
    return match.readings
  })
}

function zoneOf(written: WrittenTime, from: string | undefined, { notes }: Reckoning): ZoneMatch | undefined {
  const outer = from === undefined ? undefined : readZone(from)
  if (written.zone === undefined) return outer
  const own = readZone(written.zone)
  const same = outer?.readings.some(({ id }) => own.readings.some(reading => reading.id === id))
  if (outer && !same && written.bracket === undefined) {
    notes.add(
      `The time names its own zone, ${zoneTitle(own.readings[0]!)}, so "${from}" was not used to read it.`,
    )
  }
  return own
}

function readIn(
  written: WrittenTime,
  named: Zone | undefined,
  { now, notes }: Reckoning,
  side: Side,
): readonly Temporal.ZonedDateTime[] {
  const zone = named ?? UTC
  if (written.now) return [now.toZonedDateTimeISO(zone.id)]
  if (written.unix !== undefined) {
    notes.add(`"${written.text}" is read as Unix time.`)
    return [Temporal.Instant.fromEpochMilliseconds(written.unix).toZonedDateTimeISO(zone.id)]
  }
  const date = readDate(written, now.toZonedDateTimeISO(zone.id).toPlainDate(), notes, side)
  if (written.date?.kind !== 'day' && named === undefined) {
    notes.add('No zone was named: the day is that of UTC. Name a place in "from_zone".')
  }
  const { hour = 0, minute = 0, second = 0, nanosecond = 0, carry = 0 } = written.clock ?? {}
  if (isDateOnly(written)) {
    // Where a clock change takes midnight away, the day still begins, only later.
    const start = date.toZonedDateTime(zone.id)
    if (start.toPlainDate().equals(date)) return [start]
  }
  const clock = Temporal.PlainTime.from({ hour, minute, second }).add({ nanoseconds: nanosecond })
  const { times, note } = readWall(date.add({ days: carry }).toPlainDateTime(clock), zone)
  if (note) notes.add(note)
  return times
}

function readDate(
  { date }: WrittenTime,
  today: Temporal.PlainDate,
  notes: Set<string>,
  side: Side,
): Temporal.PlainDate {
  switch (date?.kind) {
    case 'day':
      return Temporal.PlainDate.from(date.day)
    case 'relative':
      return today.add({ days: date.days })
    case 'yearless': {
      const year = today.year + yearsTo(date, today, side)
      notes.add(`No year was given: ${year} is assumed.`)
      return Temporal.PlainDate.from(checkDay({ year, month: date.month, day: date.day }))
    }
    default:
      notes.add(`No date was given: today's is assumed, ${formatDate(today)}.`)
      return today
  }
}

/** 1 or -1 where this year's day lies on the other side of today. */
function yearsTo(date: { month: number; day: number }, today: Temporal.PlainDate, side: Side): number {
  const daysOff = (date.month - today.month) * 31 + date.day - today.day
  if (side === 'future' && daysOff < 0) return 1
  return side === 'past' && daysOff > 0 ? -1 : 0
}

/** Keeps the readings at the offset that was written beside a zone: `15:00-05:00[America/New_York]`. */
function agree(written: WrittenTime, moments: Moment[], reckoning: Reckoning): Moment[] {
  const kept = readZones([written.bracket!], reckoning).flatMap(zone =>
    moments.map(moment => ({ ...moment, zone, time: moment.time.withTimeZone(zone.id) })),
  )
  const agreeing = kept.filter(({ time }) => moments.some(moment => moment.time.offset === time.offset))
  if (agreeing.length > 0 || written.zone === 'z') return agreeing.length > 0 ? agreeing : kept
  const offsets = kept.map(({ time }) => formatOffset(time)).join(' or ')
  throw new ToolError(
    `In "${written.text}" the offset and the zone disagree: ${kept[0]?.zone.label} is at ${offsets} then. Leave one of them out.`,
  )
}

/** `now` and Unix time are fixed moments, shown in UTC when no zone is named. */
function fixedZone(written: WrittenTime): Zone | undefined {
  return written.now || written.unix !== undefined ? UTC : undefined
}

function isDateOnly(written: WrittenTime): boolean {
  return written.date !== undefined && written.clock === undefined
}
