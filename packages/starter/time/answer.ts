import { ToolError } from '@agent-task-service/engine/tool'
import { Temporal } from 'temporal-polyfill'
import { type CallConfig, taskTexts } from '../call-config.ts'
import { add, move } from './add.ts'
import { checkArguments, type TimeArguments } from './arguments.ts'
import { difference } from './difference.ts'
import { formatDate, formatMoment, formatOffset } from './format.ts'
import { type Moment, noteOffset, readMoment, show, type TimeContext } from './moment.ts'
import { withIsoDates } from './parse-date.ts'
import { readStep } from './parse-duration.ts'
import { NO_ZONE, readZone, UNIX, type Zone, zonesIn, zoneTitle } from './zone.ts'

/**
 * Answers line by line, followed by `Note:` lines.
 * @param milliseconds the present, since 1970
 * @throws {ToolError} when an argument is missing, unknown or cannot be read
 */
export function answer(received: TimeArguments, milliseconds: number, config: CallConfig = {}): string {
  const args = checkArguments(received)
  // Whole seconds keep every result short, and nobody asks for more.
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(milliseconds / 1000) * 1000)
  const texts = [args.time, args.end, ...taskTexts(config)].join('\n')
  const context: TimeContext = { now, zone: args.zone, texts, notes: new Set() }
  const lines = linesOf(args, context)
  return [...new Set(lines), ...[...context.notes].map(note => `Note: ${note}`)].join('\n')
}

function linesOf(args: ReturnType<typeof checkArguments>, context: TimeContext): string[] {
  const { operation, time = '', end = '', duration = '', zone, to_zones = [] } = args
  refuseSeveral(args)
  const zones = to_zones.map(name => readZone(name, context.notes))
  if (operation === 'now')
    return now(zone === undefined ? zones : [readZone(zone, context.notes), ...zones], context)
  const moment = readTime(time, context)
  if (operation === 'difference') {
    const last = readTime(end, context, moment)
    refuseDateOfEnd(moment, last)
    return difference(moment, last, context)
  }
  if (operation === 'add') return add(moment, duration, zones, context)
  return convert(moment, zones, context)
}

/** A time, or what passes until it: `in 3 days`, `2 weeks before March 1`, `the day after tomorrow`. */
function readTime(text: string, context: TimeContext, start?: Moment): Moment {
  const plain = withIsoDates(text, context)
  try {
    return readMoment(plain, context, start)
  } catch (error) {
    const step = readStep(plain)
    if (!step) throw error
    return move(readMoment(step.time, context, start), step.span, context.notes).moved
  }
}

/** From "9am in Berlin" to "6pm on 2 February": nobody means today's 9am by it. */
function refuseDateOfEnd({ written: start }: Moment, { written: last }: Moment): void {
  if (start.instant || start.date || !last.date) return
  throw new ToolError(`"time" has no date, and "end" has one. Write it as "2027-02-02T09:00 Berlin".`)
}

/** Says how to write `London, Tokyo`. */
function refuseSeveral({ operation, zone = '', to_zones = [] }: ReturnType<typeof checkArguments>): void {
  const [first, ...more] = zonesIn(zone)
  const list = JSON.stringify(
    [...more, ...to_zones].flatMap(name => (zonesIn(name).length > 0 ? zonesIn(name) : name)),
  ).replaceAll(',', ', ')
  const targets = `"to_zones": ${list}`
  const form = operation === 'difference' ? `"zone": "${first}"` : `"zone": "${first}", ${targets}`
  if (first !== undefined) throw new ToolError(`"${zone}" is more than one zone: write ${form}.`)
  const several = to_zones.find(name => zonesIn(name).length > 0)
  if (several !== undefined) throw new ToolError(`"${several}" is more than one zone: write ${targets}.`)
}

function now(zones: readonly Zone[], context: TimeContext): string[] {
  if (zones.length === 0)
    context.notes.add('No zone was named: this is UTC. Name a place for its local time.')
  return (zones.length > 0 ? zones : [readZone('UTC', context.notes)]).map(zone => {
    const time = context.now.toZonedDateTimeISO(zone.id)
    if (zone === UNIX) return formatMoment(time, zone)
    noteOffset(time, zone, context.notes)
    return `${zoneTitle(zone)}: ${formatDate(time)} ${time.toPlainTime()} ${formatOffset(time)}`
  })
}

/** To no zone at all, a date is told with its weekday. */
function convert(moment: Moment, zones: readonly Zone[], context: TimeContext): string[] {
  if (zones.length === 0) return [weekday(moment, context)]
  if (moment.zone === NO_ZONE)
    throw new ToolError('"convert" needs "zone": the zone of "time", such as "New York".')
  return zones.map(zone => `${show(moment, context)} = ${show(moment, context, zone)}`)
}

function weekday(moment: Moment, context: TimeContext): string {
  const [name, day = ''] = formatDate(moment.time).split(' ')
  if (day < '1582-10-15')
    context.notes.add('Before 1582-10-15 this is the Gregorian calendar carried back, not the Julian.')
  return moment.isDate ? `${day} is a ${name}.` : show(moment, context)
}
