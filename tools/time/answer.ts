import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { add } from './add.ts'
import type { TimeArguments } from './arguments.ts'
import { difference } from './difference.ts'
import { formatDate, formatMoment, formatOffset } from './format.ts'
import { type Moment, noteZone, type Question, readMoments, readNoted, show } from './moment.ts'
import { NO_ZONE, UNIX, type Zone, zoneTitle } from './zone.ts'

const MOST_ZONES = 20

/** The members of each operation, and those that it needs, with what to write. */
const MEMBERS = {
  now: { may: ['zone', 'to_zones'], needs: {} },
  convert: { may: ['time', 'zone', 'to_zones'], needs: { time: 'a time, such as 2026-03-01T15:00' } },
  add: {
    may: ['time', 'duration', 'zone', 'to_zones'],
    needs: { time: 'a time to start from, such as 2026-03-01 or now', duration: '"3 days" or "-2 hours"' },
  },
  difference: {
    may: ['time', 'end', 'zone'],
    needs: { time: 'the first time, such as 2026-03-01 or now', end: 'the second time' },
  },
} as const

/** What models write for another member. */
const MEANT = [
  ['zone', /^(?:from_?)?(?:time_?)?zone$|^tz$|^(?:city|location|place)$/i],
  ['to_zones', /zones$|^(?:to|target)_?(?:time_?)?zone$/i],
  ['time', /^(?:start|from|date|date_?time|(?:start|from)_?(?:date|time)|now)$/i],
  ['end', /^(?:to|until|end_?(?:date|time))$/i],
  ['duration', /^(?:amount|delta|offset|days|hours|interval)$/i],
] as const

/**
 * Answers line by line, followed by `Note:` lines.
 * @param milliseconds the present, since 1970
 * @throws {ToolError} when an argument is missing, unknown or cannot be read
 */
export function answer(given: TimeArguments, milliseconds: number): string {
  // Models fill in members that they leave out.
  const args = Object.fromEntries(
    Object.entries(given).filter(([, value]) => `${value ?? ''}` !== ''),
  ) as TimeArguments
  if (/^now$/i.test(args.zone ?? '')) {
    // It can only be the time that is asked about.
    delete args.zone
    if (MEMBERS[args.operation].may.some(member => member === 'time')) args.time ??= 'now'
  }
  checkMembers(args)
  // Whole seconds keep every result short, and nobody asks for more.
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(milliseconds / 1000) * 1000)
  const question: Question = { now, zone: args.zone, notes: new Set() }
  const lines = linesOf(args, question)
  return [...new Set(lines), ...[...question.notes].map(note => `Note: ${note}`)].join('\n')
}

function checkMembers({ operation, ...members }: TimeArguments): void {
  const { may, needs } = MEMBERS[operation]
  const takes = `"${operation}" takes ${may.map(member => `"${member}"`).join(', ')}`
  for (const member of Object.keys(members)) {
    if ((may as readonly string[]).includes(member)) continue
    const [meant] =
      MEANT.find(([name, pattern]) => pattern.test(member) && (may as readonly string[]).includes(name)) ?? []
    throw new ToolError(`There is no "${member}" here: ${meant ? `write "${meant}". ` : ''}${takes}.`)
  }
  for (const [member, what] of Object.entries(needs))
    if (!(member in members)) throw new ToolError(`"${operation}" needs "${member}": ${what}.`)
  const count = members.to_zones?.length ?? 0
  if (count > MOST_ZONES) throw new ToolError(`${count} zones are too many: at most ${MOST_ZONES} at once.`)
}

function linesOf(args: TimeArguments, question: Question): string[] {
  const { operation, time = '', end = '', duration = '', zone, to_zones = [] } = args
  if (operation === 'difference') return difference(time, end, question)
  const zones = to_zones.map(name => readNoted(name, question.notes))
  if (operation === 'add') return add(readMoments(time, question), duration, zones, question)
  if (operation === 'convert') return convert(time, zones, question)
  if (zone !== undefined) zones.unshift(readNoted(zone, question.notes))
  return now(zones, question)
}

function now(zones: readonly Zone[], question: Question): string[] {
  if (zones.length === 0)
    question.notes.add('No zone was named: this is UTC. Name a place for its local time.')
  return (zones.length > 0 ? zones : [readNoted('UTC', question.notes)]).map(zone => {
    const time = question.now.toZonedDateTimeISO(zone.id)
    if (zone === UNIX) return formatMoment(time, zone)
    noteZone(time, zone, question)
    return `${zoneTitle(zone)}: ${formatDate(time)} ${time.toPlainTime()} ${formatOffset(time)}`
  })
}

/** To no zone at all, a date is told with its weekday. */
function convert(text: string, zones: readonly Zone[], question: Question): string[] {
  const moments = readMoments(text, question)
  if (zones.length === 0) return moments.map(moment => weekday(moment, question))
  if (moments.some(({ zone }) => zone === NO_ZONE))
    throw new ToolError(`"convert" needs "zone": the zone of "${text}", such as "New York".`)
  return moments.flatMap(moment =>
    zones.map(zone => `${show(moment, question)} = ${show(moment, question, zone)}`),
  )
}

function weekday(moment: Moment, question: Question): string {
  const [name, day = ''] = formatDate(moment.time).split(' ')
  if (day < '1582-10-15')
    question.notes.add('Before 1582-10-15 this is the Gregorian calendar carried back, not the Julian.')
  return moment.isDate ? `${day} is a ${name}.` : show(moment, question)
}
