import { Temporal } from 'temporal-polyfill'
import { dayOf, readMoment } from './moments.ts'

/** Cities whose zone has another name. */
const CITIES: Readonly<Record<string, string>> = {
  beijing: 'Asia/Shanghai',
  mumbai: 'Asia/Kolkata',
  delhi: 'Asia/Kolkata',
  'new delhi': 'Asia/Kolkata',
  kolkata: 'Asia/Kolkata',
  kathmandu: 'Asia/Kathmandu',
  'san francisco': 'America/Los_Angeles',
  seattle: 'America/Los_Angeles',
  boston: 'America/New_York',
  washington: 'America/New_York',
  'são paulo': 'America/Sao_Paulo',
  munich: 'Europe/Berlin',
  utc: 'UTC',
  gmt: 'UTC',
}

const PLACES = new Map<string, string>([
  ...Intl.supportedValuesOf('timeZone').map((zone): [string, string] => [placeOf(zone), zone]),
  ...Object.entries(CITIES),
])

const NOW = '(?: right now| now| today| currently)?'
const KIND = '(?:time|date|day|date and time|time and date)'
const CLOCK: readonly RegExp[] = [
  new RegExp(
    `^(?:the )?(?:current |local |exact )*${KIND}(?: is it| it is)?${NOW}(?: (?:in|at) (?<place>.+?))?${NOW}$`,
  ),
  /^(?:day|date) is (?:it )?today(?: in (?<place>.+))?$/,
  /^today's date(?: in (?<place>.+))?$/,
]
const CONVERSION: readonly RegExp[] = [
  /^(?:when|if) it(?:'s| is) (?<moment>.+?) in (?<from>.+?),? (?:then )?what time is it in (?<to>.+)$/,
  /^(?:when|if) it(?:'s| is) (?<moment>\S+) in (?<from>.+?) (?<day>on .+?),? (?:then )?what time is it in (?<to>.+)$/,
  /^time (?:is it|will it be|is|would it be) in (?<to>.+?),? (?:when|if) it(?:'s| is) (?<moment>.+?) in (?<from>.+)$/,
  /^(?:convert )?(?<moment>.+?) (?:in |from )?(?<from>[\p{L}/_ ]+?)(?: time)? (?:to|in|into) (?<to>[\p{L}/_ ]+?)(?: time)?$/u,
]

export function readZones(question: string, now: Date): string | undefined {
  for (const form of CLOCK) {
    const groups = form.exec(question)?.groups
    const zones = groups && (groups.place ?? 'utc').split(/,? and |, /).map(zoneOf)
    if (!zones?.every(zone => zone !== undefined)) continue
    const instant = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    return `${zones.map(zone => shown(instant.toZonedDateTimeISO(zone))).join(', ')}.`
  }
  for (const form of CONVERSION) {
    const { moment = '', day = '', from = '', to = '' } = form.exec(question)?.groups ?? {}
    const [fromZone, toZone, read] = [zoneOf(from), zoneOf(to), readMoment(`${moment} ${day}`, now)]
    if (!fromZone || !toZone || read?.time === undefined) continue
    const start = (read.date ?? dayOf(now, fromZone)).toZonedDateTime({
      timeZone: fromZone,
      plainTime: read.time,
    })
    return `${shown(start)} is ${shown(start.withTimeZone(toZone))}.`
  }
  return undefined
}

function shown(moment: Temporal.ZonedDateTime): string {
  return `${moment.toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ')} ${moment.timeZoneId}`
}

function zoneOf(place: string): string | undefined {
  const name = place.trim().replace(/^the /, '').replace(/, .*$/, '')
  const known = PLACES.get(name)
  if (known !== undefined || !name.includes('/')) return known
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

function placeOf(zone: string): string {
  return zone.split('/').at(-1)!.replaceAll('_', ' ').toLowerCase()
}
