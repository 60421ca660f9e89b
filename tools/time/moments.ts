import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { readZone } from './find-zone.ts'
import { formatOffset } from './format.ts'
import { parseTime, type WrittenTime } from './parse-time.ts'
import { DAY_OF_UTC, type Moment, type Reckoning } from './reckoning.ts'
import { readWall } from './wall-clock.ts'
import { type Anchor, resolveDate } from './written-date.ts'
import { NO_ZONE, type Zone, type ZoneMatch, zoneTitle } from './zone.ts'

/**
 * Returns all readings of a written moment.
 * @param anchor where to look for a moment without a date or year
 * @param isDay whether "tonight" will do, without a time of day
 * @throws {ToolError} when the text cannot be read
 */
export function readMoments(text: string, reckoning: Reckoning, anchor?: Anchor, isDay = false): Moment[] {
  const written = parseTime(text)
  const { date, clock, part, instant, isEpoch, bracket } = written
  if (part && !clock && !isDay)
    throw new ToolError(`"${text}" has no time of day: write "${part === 'afternoon' ? 3 : 8} ${text}".`)
  const match = zoneOf(written, reckoning)
  for (const note of match?.notes ?? []) reckoning.notes.add(note)
  if (isEpoch) reckoning.notes.add(`"${text}" is read as Unix time.`)
  const only = clock ? (date ? undefined : 'clock') : date && 'date'
  const moments = (match?.readings ?? [instant ? { ...NO_ZONE, label: 'UTC' } : NO_ZONE]).flatMap(zone => {
    const present = reckoning.now.toZonedDateTimeISO(zone.id)
    const at = anchor?.at.withTimeZone(zone.id) ?? present
    const times = instant
      ? [instant(present)]
      : readIn(written, zone, reckoning, { side: anchor?.side ?? 0, at })
    return times.map((time): Moment => ({ time, zone, only }))
  })
  return bracket === undefined ? moments : agree(written, moments)
}

/**
 * Returns every zone that the names mean, in order. Records a failure for each unreadable name.
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

function zoneOf({ zone, bracket }: WrittenTime, { from, notes }: Reckoning): ZoneMatch | undefined {
  const outer = from === undefined ? undefined : readZone(from)
  if (zone === undefined) return outer
  const own = readZone(zone)
  const isSame = outer?.readings.some(({ id }) => own.readings.some(reading => reading.id === id))
  if (outer && !isSame && bracket === undefined)
    notes.add(`The time names its own zone, ${zoneTitle(own.readings[0]!)}, so "${from}" is ignored.`)
  return own
}

function readIn(
  { text, date, clock, part }: WrittenTime,
  zone: Zone,
  { now, notes }: Reckoning,
  anchor: Anchor,
): readonly Temporal.ZonedDateTime[] {
  if (!date?.isFixed && zone === NO_ZONE) notes.add(DAY_OF_UTC)
  // "12:30 at night" without a date is half past midnight of any day.
  const days = part && !date ? 0 : (clock?.carry ?? 0)
  const timesOn = (day: Temporal.PlainDate, remarks = new Set<string>()) => {
    // Where a clock change skips midnight, the day starts later.
    const start = day.toZonedDateTime(zone.id)
    if (date && !clock && start.toPlainDate().equals(day)) return [start]
    return readWall(day.add({ days }).toPlainDateTime(clock?.time), zone, remarks)
  }
  const present = now.toZonedDateTimeISO(zone.id)
  const today = present.toPlainDate()
  const day = resolveDate(date, today, anchor, timesOn, notes)
  // At 00:10, "tonight at 12:30" is in 20 minutes, and "last night at 12:30" was yesterday.
  const isNear = part && days && /\b(?:tonight|today|yesterday|last night)\b/i.test(text)
  const first = isNear ? timesOn(today.subtract({ days: 1 })) : []
  const isAhead = first.some(time => Temporal.ZonedDateTime.compare(time, present) > 0)
  return timesOn(isAhead ? day.subtract({ days: 1 }) : day, notes)
}

/** Keeps the readings that match the offset written with a zone: `15:00-05:00[America/New_York]`. */
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
