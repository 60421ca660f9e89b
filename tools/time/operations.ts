import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { add } from './add.ts'
import type { TimeArguments } from './arguments.ts'
import { difference, zoneGap } from './difference.ts'
import { findZone } from './find-zone.ts'
import { formatDate, formatOffset } from './format.ts'
import { readMoments, readZones } from './moments.ts'
import { takeDate } from './parse-date.ts'
import { parseDuration } from './parse-duration.ts'
import { noteZone, type Reckoning, show } from './reckoning.ts'
import { NO_ZONE, zoneTitle } from './zone.ts'

const [MOST_ZONES, MOST_LINES] = [20, 60]

/**
 * Performs one operation. Returns the readings line by line, followed by `Note:` lines.
 * @param milliseconds the present, since 1970
 * @throws {ToolError} when an argument is missing or cannot be read
 */
export function reckon(args: TimeArguments, milliseconds: number): string {
  // Whole seconds keep every result short, and nobody asks for more.
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(milliseconds / 1000) * 1000)
  const reckoning: Reckoning = { now, from: args.from_zone, notes: new Set(), failures: new Set() }
  const lines = [...answer(args, reckoning), ...reckoning.failures]
  if (lines.length > MOST_LINES)
    throw new ToolError(`${lines.length} readings are too many (at most ${MOST_LINES}): ask for fewer zones.`)
  return [...lines, ...[...reckoning.notes].map(note => `Note: ${note}`)].join('\n')
}

function answer(args: TimeArguments, reckoning: Reckoning): string[] {
  const { operation, time, start, end, duration } = args
  const zones = [args.zones, args.to_zones].find(list => list?.length)
  const targets = [args.to_zones, args.zones].find(list => list?.length)
  if (zones && zones.length > MOST_ZONES)
    throw new ToolError(`${zones.length} zones are too many: at most ${MOST_ZONES} at once.`)
  const need = (value: string | undefined, member: string, what: string) => {
    if (value !== undefined) return value
    throw new ToolError(`Operation "${operation}" needs "${member}": ${what}.`)
  }
  switch (operation) {
    case 'now':
      return now(zones ?? (args.from_zone === undefined ? undefined : [args.from_zone]), reckoning)
    case 'convert': {
      const text = need(time, 'time', 'the local time, such as 2026-03-01T15:00')
      need(targets?.[0], 'to_zones', 'the zones to convert to, such as ["London"]')
      return convert(text, targets!, reckoning)
    }
    case 'difference': {
      const [first, second] = start === undefined && end === undefined && zones ? zones : [start, end]
      const beginning = need(first, 'start', 'the first moment, such as 2026-03-01 or now, or a place')
      const ending = need(second, 'end', 'the second moment, such as 2026-12-25 or now, or a place')
      const [isFirst, isSecond] = [isPlace(beginning), isPlace(ending)]
      if (!isFirst && !isSecond) return difference(beginning, ending, reckoning)
      const [place, other] = isFirst ? [beginning, ending] : [ending, beginning]
      const isMixed = isFirst !== isSecond && (takeDate(other.toLowerCase()) || /^now|\d/i.test(other))
      if (isMixed) throw new ToolError(`"${place}" is a place and "${other}" a time: give two of one kind.`)
      return zoneGap(beginning, ending, reckoning)
    }
    case 'add': {
      const moment = need(time ?? start, 'time', 'the moment to start from, such as 2026-03-01 or now')
      const amount = need(duration, 'duration', 'what to add, such as "3 days" or "-2 hours"')
      const span = parseDuration(amount)
      return add(readMoments(moment, reckoning), span, readZones(targets ?? [], reckoning), reckoning)
    }
    case 'weekday':
      return weekday(need(time ?? start, 'time', 'the date, such as 2026-03-01 or today'), reckoning)
  }
}

/** Reads `Christmas` as a day rather than the island. */
function isPlace(text: string): boolean {
  return !takeDate(text.toLowerCase()) && findZone(text) !== undefined
}

function now(names: readonly string[] | undefined, reckoning: Reckoning): string[] {
  if (!names) reckoning.notes.add('No zone was named: this is UTC. Name a place for its local time.')
  return readZones(names ?? ['UTC'], reckoning).map(zone => {
    const time = reckoning.now.toZonedDateTimeISO(zone.id)
    noteZone(time, zone, reckoning)
    return `${zoneTitle(zone)}: ${formatDate(time)} ${time.toPlainTime()} ${formatOffset(time)}`
  })
}

function convert(text: string, to: readonly string[], reckoning: Reckoning): string[] {
  const moments = readMoments(text, reckoning)
  const zones = readZones(to, reckoning)
  if (moments.some(({ zone }) => zone === NO_ZONE))
    throw new ToolError(`Operation "convert" needs "from_zone": the zone of "${text}", such as "New York".`)
  return moments.flatMap(moment =>
    zones.map(zone => `${show(moment, reckoning)} = ${show(moment, reckoning, zone)}`),
  )
}

/** Weekday, ISO week and day of the year; lists each date once when the text has several readings. */
function weekday(text: string, reckoning: Reckoning): string[] {
  const lines = readMoments(text, reckoning, undefined, true).map(({ time }) => {
    const [name, day = ''] = formatDate(time).split(' ')
    if (day < '1582-10-15')
      reckoning.notes.add('Before 1582-10-15 this is the Gregorian calendar carried back, not the Julian.')
    const week = `${String(time.yearOfWeek).padStart(4, '0')}-W${String(time.weekOfYear).padStart(2, '0')}`
    const inYear = `day ${time.dayOfYear} of ${time.daysInYear}`
    return `${day} is a ${name}, in ISO week ${week} (${week}-${time.dayOfWeek}), ${inYear}.`
  })
  return [...new Set(lines)]
}
