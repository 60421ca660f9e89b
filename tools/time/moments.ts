import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { formatDate, formatOffset } from './format.ts'
import type { Clock } from './parse-clock.ts'
import { parseTime, type WrittenTime } from './parse-time.ts'
import { readZone } from './read-zone.ts'
import { type Anchor, resolveDate } from './resolve-date.ts'
import { readWall, type WallReadings } from './wall-clock.ts'
import { type Zone, type ZoneMatch, zoneTitle } from './zone.ts'

/** One reading of a written moment. */
export interface Moment {
  /** In UTC when no zone was named: then only the clock counts. */
  readonly time: Temporal.ZonedDateTime
  /** Undefined when neither the text nor the call named a zone. */
  readonly zone: Zone | undefined
  /** A date without a time of day, which is read as 00:00; or a time of day without a date. */
  readonly only?: 'date' | 'clock' | undefined
}

/** What the operations share: the present moment, and what follows the answer. */
export interface Reckoning {
  readonly now: Temporal.Instant
  /** In order, each once. */
  readonly notes: Set<string>
  /** What was wrong with zones that could not be read beside others that could. */
  readonly failures: Set<string>
}

const UTC: Zone = { id: 'UTC', label: 'UTC', detail: '' }

/**
 * All readings of a moment as written.
 * @param from the zone in which a time is read that names none itself
 * @throws {ToolError} when it cannot be read
 */
export function readMoments(
  text: string,
  from: string | undefined,
  reckoning: Reckoning,
  anchor?: Anchor,
): Moment[] {
  const written = parseTime(text)
  const match = zoneOf(written, from, reckoning)
  for (const note of match?.notes ?? []) reckoning.notes.add(note)
  const isFixed = written.isNow || written.epoch !== undefined
  const only = written.date
    ? written.clock
      ? undefined
      : ('date' as const)
    : written.clock && ('clock' as const)
  const moments = (match?.readings ?? [undefined]).flatMap(zone =>
    readIn(written, zone, reckoning, anchor).map(time => ({
      time,
      zone: zone ?? (isFixed ? UTC : undefined),
      only,
    })),
  )
  return written.bracket === undefined ? moments : agree(written, moments)
}

/**
 * Every zone that a list of names means, in order. One that cannot be read is a failure of its own.
 * @throws {ToolError} when none can be read
 */
export function readZones(names: readonly string[], { notes, failures }: Reckoning): Zone[] {
  const wrong: string[] = []
  const zones = names.flatMap(name => {
    try {
      const match = readZone(name)
      for (const note of match.notes) notes.add(note)
      return match.readings
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      wrong.push(error.message)
      return []
    }
  })
  if (zones.length === 0 && wrong.length > 0) throw new ToolError(wrong.join('\n'))
  for (const message of wrong) failures.add(message)
  return zones
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
  { text, isNow, epoch, date, clock }: WrittenTime,
  named: Zone | undefined,
  { now, notes }: Reckoning,
  anchor: Anchor | undefined,
): readonly Temporal.ZonedDateTime[] {
  const zone = named ?? UTC
  if (isNow) return [now.toZonedDateTimeISO(zone.id)]
  if (epoch !== undefined) {
    notes.add(`"${text}" is read as Unix time.`)
    return [new Temporal.ZonedDateTime(epoch, zone.id)]
  }
  if (date?.kind !== 'day' && named === undefined) {
    notes.add('No zone was named: the day is that of UTC. Name a place for its own.')
  }
  const today = now.toZonedDateTimeISO(zone.id).toPlainDate()
  const near = anchor && { day: anchor.at.withTimeZone(zone.id).toPlainDate(), side: anchor.side }
  if (!date) return readClock(clock!, zone, near?.day ?? today, notes, anchor)
  const day = resolveDate(date, today, notes, near)
  // Where a clock change takes midnight away, the day still begins, only later.
  const start = day.toZonedDateTime(zone.id)
  if (!clock && start.toPlainDate().equals(day)) return [start]
  return noted(atClock(day, clock, zone), notes)
}

/** A time of day alone is today's; or the first of its kind after the anchor, or the last before it. */
function readClock(clock: Clock, zone: Zone, near: Temporal.PlainDate, notes: Set<string>, anchor?: Anchor) {
  const isBeyond = (time: Temporal.ZonedDateTime) =>
    !anchor || Temporal.ZonedDateTime.compare(time, anchor.at) * anchor.side >= 0
  const same = atClock(near, clock, zone)
  const day = same.times.every(isBeyond) ? near : near.add({ days: anchor?.side ?? 0 })
  const which = !anchor ? "today's" : anchor.side > 0 ? 'the next one' : 'the last one'
  notes.add(`No date was given: ${which} is assumed, ${formatDate(day)}.`)
  return noted(day === near ? same : atClock(day, clock, zone), notes)
}

function atClock(day: Temporal.PlainDate, clock: Clock | undefined, zone: Zone): WallReadings {
  return readWall(day.add({ days: clock?.carry ?? 0 }).toPlainDateTime(clock?.time), zone)
}

function noted({ times, note }: WallReadings, notes: Set<string>): WallReadings['times'] {
  if (note) notes.add(note)
  return times
}

/** Keeps the readings at the offset that was written beside a zone: `15:00-05:00[America/New_York]`. */
function agree({ text, zone, bracket }: WrittenTime, moments: Moment[]): Moment[] {
  const kept = readZone(bracket!).readings.flatMap(named =>
    moments.map(moment => ({ ...moment, zone: named, time: moment.time.withTimeZone(named.id) })),
  )
  const agreeing = kept.filter(({ time }) => moments.some(moment => moment.time.offset === time.offset))
  if (agreeing.length > 0 || zone === 'z') return agreeing.length > 0 ? agreeing : kept
  const offsets = kept.map(({ time }) => formatOffset(time)).join(' or ')
  throw new ToolError(
    `In "${text}" the offset and the zone disagree: ${kept[0]?.zone.label} is at ${offsets} then. Leave one of them out.`,
  )
}
