import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { add } from './add.ts'
import type { TimeArguments } from './arguments.ts'
import { difference } from './difference.ts'
import { formatMoment, formatNow } from './format.ts'
import { type Reckoning, readMoments, readZones } from './moments.ts'
import { inZone, noteAbbreviation, noteMoment } from './remarks.ts'
import { weekday } from './weekday.ts'

const MOST_ZONES = 20
const MOST_LINES = 60

/**
 * Does one operation and answers in lines: first the readings, then `Note:` lines.
 * @param milliseconds the present, since 1970
 * @throws {ToolError} when something is missing or cannot be read
 */
export function reckon(args: TimeArguments, milliseconds: number): string {
  const reckoning: Reckoning = { now: wholeSecond(milliseconds), notes: new Set() }
  const lines = answer(args, reckoning)
  if (lines.length > MOST_LINES) {
    throw new ToolError(
      `That makes ${lines.length} readings, above ${MOST_LINES}: ask for fewer zones at once.`,
    )
  }
  return [...lines, ...[...reckoning.notes].map(note => `Note: ${note}`)].join('\n')
}

/** The present in whole seconds: nobody asks for more, and it makes every result shorter. */
function wholeSecond(milliseconds: number): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(Math.floor(milliseconds / 1000) * 1000)
}

function answer(args: TimeArguments, reckoning: Reckoning): string[] {
  const { operation, time, from_zone, start, end, duration } = args
  for (const list of [args.zones, args.to_zones]) {
    if (list && list.length > MOST_ZONES) {
      throw new ToolError(`${list.length} zones are too many: at most ${MOST_ZONES} at once.`)
    }
  }
  switch (operation) {
    case 'now':
      return now(
        firstFilled(args.zones, args.to_zones, from_zone === undefined ? [] : [from_zone]),
        reckoning,
      )
    case 'convert': {
      const to = firstFilled(args.to_zones, args.zones)
      if (time === undefined) throw missing('convert', 'time', 'the local time, such as 2026-03-01T15:00')
      if (to.length === 0) throw missing('convert', 'to_zones', 'the zones to convert to, such as ["London"]')
      return convert(time, from_zone, to, reckoning)
    }
    case 'difference':
      if (start === undefined)
        throw missing('difference', 'start', 'the first moment, such as 2026-03-01 or now')
      if (end === undefined)
        throw missing('difference', 'end', 'the second moment, such as 2026-12-25 or now')
      return difference(start, end, from_zone, reckoning)
    case 'add': {
      const moment = time ?? start
      if (moment === undefined)
        throw missing('add', 'time', 'the moment to start from, such as 2026-03-01 or now')
      if (duration === undefined)
        throw missing('add', 'duration', 'what to add, such as "3 days" or "-2 hours"')
      return add({ moment, duration, from: from_zone, to: firstFilled(args.to_zones, args.zones) }, reckoning)
    }
    case 'weekday': {
      const date = time ?? start
      if (date === undefined) throw missing('weekday', 'time', 'the date, such as 2026-03-01 or today')
      return weekday(date, from_zone, reckoning)
    }
    default:
      throw new ToolError(`Unknown operation "${operation}": write now, convert, difference, add or weekday.`)
  }
}

function now(names: readonly string[], reckoning: Reckoning): string[] {
  if (names.length === 0)
    reckoning.notes.add('No zone was named: this is UTC. Name cities or zones in "zones".')
  return readZones(names.length > 0 ? names : ['UTC'], reckoning).map(zone => {
    const time = reckoning.now.toZonedDateTimeISO(zone.id)
    noteAbbreviation(time, zone, reckoning)
    return formatNow(time, zone)
  })
}

function convert(
  text: string,
  from: string | undefined,
  to: readonly string[],
  reckoning: Reckoning,
): string[] {
  const moments = readMoments(text, from, reckoning)
  const zones = readZones(to, reckoning)
  if (moments.some(({ zone }) => zone === undefined)) {
    throw missing('convert', 'from_zone', `the zone in which "${text}" is read, such as "New York"`)
  }
  if (moments.some(({ dateOnly }) => dateOnly))
    reckoning.notes.add('No time of day was given: 00:00 is assumed.')
  return moments.flatMap(moment => {
    noteMoment(moment, reckoning)
    return zones.map(zone => `${formatMoment(moment.time, moment.zone)} = ${inZone(moment, zone, reckoning)}`)
  })
}

function missing(operation: string, member: string, what: string): ToolError {
  return new ToolError(`Operation "${operation}" needs "${member}": ${what}.`)
}

function firstFilled(...lists: (readonly string[] | undefined)[]): readonly string[] {
  return lists.find(list => list !== undefined && list.length > 0) ?? []
}
