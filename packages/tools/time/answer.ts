import { ToolError } from '@agent-task-service/engine/tool'
import { Temporal } from 'temporal-polyfill'
import { add } from './add.ts'
import { checkArguments, type TimeArguments } from './arguments.ts'
import { difference } from './difference.ts'
import { formatDate, formatMoment, formatOffset } from './format.ts'
import { type Moment, noteOffset, type Question, readMoment, show } from './moment.ts'
import { NO_ZONE, readZone, UNIX, type Zone, zoneTitle } from './zone.ts'

/**
 * Answers line by line, followed by `Note:` lines.
 * @param milliseconds the present, since 1970
 * @throws {ToolError} when an argument is missing, unknown or cannot be read
 */
export function answer(received: TimeArguments, milliseconds: number): string {
  const args = checkArguments(received)
  // Whole seconds keep every result short, and nobody asks for more.
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(milliseconds / 1000) * 1000)
  const question: Question = { now, zone: args.zone, notes: new Set() }
  const lines = linesOf(args, question)
  return [...new Set(lines), ...[...question.notes].map(note => `Note: ${note}`)].join('\n')
}

function linesOf(args: TimeArguments, question: Question): string[] {
  const { operation, time = '', end = '', duration = '', zone, to_zones = [] } = args
  const zones = to_zones.map(name => readZone(name, question.notes))
  if (operation === 'now')
    return now(zone === undefined ? zones : [readZone(zone, question.notes), ...zones], question)
  const moment = readMoment(time, question)
  if (operation === 'difference') return difference(moment, readMoment(end, question, moment), question)
  if (operation === 'add') return add(moment, duration, zones, question)
  return convert(moment, zones, question)
}

function now(zones: readonly Zone[], question: Question): string[] {
  if (zones.length === 0)
    question.notes.add('No zone was named: this is UTC. Name a place for its local time.')
  return (zones.length > 0 ? zones : [readZone('UTC', question.notes)]).map(zone => {
    const time = question.now.toZonedDateTimeISO(zone.id)
    if (zone === UNIX) return formatMoment(time, zone)
    noteOffset(time, zone, question.notes)
    return `${zoneTitle(zone)}: ${formatDate(time)} ${time.toPlainTime()} ${formatOffset(time)}`
  })
}

/** To no zone at all, a date is told with its weekday. */
function convert(moment: Moment, zones: readonly Zone[], question: Question): string[] {
  if (zones.length === 0) return [weekday(moment, question)]
  if (moment.zone === NO_ZONE)
    throw new ToolError('"convert" needs "zone": the zone of "time", such as "New York".')
  return zones.map(zone => `${show(moment, question)} = ${show(moment, question, zone)}`)
}

function weekday(moment: Moment, question: Question): string {
  const [name, day = ''] = formatDate(moment.time).split(' ')
  if (day < '1582-10-15')
    question.notes.add('Before 1582-10-15 this is the Gregorian calendar carried back, not the Julian.')
  return moment.isDate ? `${day} is a ${name}.` : show(moment, question)
}
