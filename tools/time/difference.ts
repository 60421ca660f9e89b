import { Temporal } from 'temporal-polyfill'
import { countBusinessDays } from './business-days.ts'
import { count, formatClock, formatDate, formatOffset, formatPlace, formatSpan } from './format.ts'
import { readMoments, readZones } from './moments.ts'
import { DAY_OF_UTC, type Moment, type Reckoning, show, ZONELESS } from './reckoning.ts'
import { NO_ZONE, type Zone, zoneTitle } from './zone.ts'

const back = (sign: number) => (sign < 0 ? ' back (the end is before the start)' : '')

/** The difference of two moments, by the calendar and in total. Dates alone are counted in days. */
export function difference(start: string, end: string, reckoning: Reckoning): string[] {
  const isToPresent = /^\s*(?:(?:right )?now|today)\b/i.test(end)
  const now = reckoning.now.toZonedDateTimeISO('UTC')
  const starts = readMoments(start, reckoning, { side: isToPresent ? -1 : 0, at: now })
  const blocks = starts.flatMap(first =>
    readMoments(end, reckoning, { side: 1, at: first.time }).map(second => {
      const isInDays = first.only === 'date' && second.only === 'date'
      return (isInDays ? inDays(first, second, reckoning) : inTime(first, second, reckoning)).join('\n')
    }),
  )
  // Dates do not show their zone, so readings that differ only in zone would repeat the same answer.
  return [...new Set(blocks)].flatMap(block => block.split('\n'))
}

function inDays(start: Moment, end: Moment, { notes }: Reckoning): string[] {
  const [first, second] = [start.time.toPlainDate(), end.time.toPlainDate()]
  const { days } = first.until(second, { largestUnit: 'days' })
  const weeks = first.until(second, { largestUnit: 'weeks' })
  const business = countBusinessDays(first, second)
  notes.add(
    `Business days in between: ${business} (Monday to Friday, the later date not counted; holidays are not excluded).`,
  )
  const inWeeks = weeks.weeks === 0 ? '' : ` = ${formatSpan(weeks)}${days < 0 ? ' back' : ''}`
  return [
    `From ${formatDate(first)} to ${formatDate(second)}`,
    `Calendar: ${formatSpan(first.until(second, { largestUnit: 'years' }), ', ', 'days')}${back(days)}`,
    `Total: ${count(days, 'days')}${inWeeks}`,
  ]
}

function inTime(start: Moment, end: Moment, reckoning: Reckoning): string[] {
  const ends = `From ${show(start, reckoning)} to ${show(end, reckoning)}`
  noteZones(start, end, reckoning)
  const there = end.time.withTimeZone(start.time.timeZoneId)
  const elapsed = start.time.toInstant().until(end.time.toInstant(), { largestUnit: 'hours' })
  const totals = (['hours', 'minutes', 'seconds'] as const).flatMap(unit => {
    const amount = Math.abs(elapsed.total(unit))
    return amount >= 1 ? count(amount, unit) : []
  })
  const words = formatSpan(elapsed.round({ largestUnit: 'days' }))
  const two = start.zone !== NO_ZONE && end.zone !== NO_ZONE && start.zone.id !== end.zone.id
  const by = two ? ` (by the clock of ${zoneTitle(start.zone)})` : ''
  return [
    ends,
    `Calendar: ${formatSpan(start.time.until(there, { largestUnit: 'years' }))}${back(elapsed.sign)}${by}`,
    `Total: ${[...new Set([words, ...totals])].join(' = ')}${elapsed.sign < 0 ? ' back' : ''}`,
  ]
}

function noteZones(start: Moment, end: Moment, { notes }: Reckoning): void {
  const shift = (end.time.offsetNanoseconds - start.time.offsetNanoseconds) / 3.6e12
  if (start.zone === NO_ZONE && end.zone === NO_ZONE) {
    // Between two times of day it does not matter whose day it is.
    if (start.only === 'clock' && end.only === 'clock') notes.delete(DAY_OF_UTC)
    notes.add(ZONELESS)
  } else if (start.zone === NO_ZONE || end.zone === NO_ZONE) {
    notes.delete(DAY_OF_UTC)
    notes.add('A time without a zone is read as UTC: name its place.')
  } else if (start.zone.id === end.zone.id && shift !== 0) {
    notes.add(
      `At the end, clocks in ${start.zone.label} are ${Math.abs(shift)} h further ${shift > 0 ? 'ahead' : 'back'} ` +
        `(${formatOffset(start.time)}, then ${formatOffset(end.time)}); the total is elapsed time, in 24-hour days.`,
    )
  } else if (start.only === 'clock' && end.only === 'clock') {
    // "9am in New York and 9am in Tokyo": the next 9am in Tokyo is on the following day.
    const { year, month, day } = start.time
    const sameDate = end.time.with({ year, month, day })
    if (sameDate.equals(end.time)) return
    const gap = formatSpan(sameDate.until(start.time, { largestUnit: 'hours' }))
    notes.add(`On the same date, ${formatClock(end.time)} in ${end.zone.label} is ${gap} before the start.`)
  }
}

/** The current difference between two zones; a note says when it changes within a year. */
export function zoneGap(first: string, second: string, reckoning: Reckoning): string[] {
  const others = readZones([second], reckoning)
  return readZones([first], reckoning).flatMap(one => others.map(other => gapOf(one, other, reckoning)))
}

function gapOf(one: Zone, other: Zone, { now, notes }: Reckoning): string {
  const [here, there] = [now.toZonedDateTimeISO(one.id), now.toZonedDateTimeISO(other.id)]
  const gap = inWords(here, there)
  const change = [here, there]
    .flatMap(time => time.getTimeZoneTransition('next') ?? [])
    // A day later, since New York changes three hours before Los Angeles.
    .map(time => [time, time.add({ days: 1 })] as const)
    .map(([time, next]) => [time, inWords(next.withTimeZone(one.id), next.withTimeZone(other.id))] as const)
    .filter(
      ([time, then]) => then !== gap && Temporal.ZonedDateTime.compare(time, here.add({ days: 366 })) < 0,
    )
    .sort(([a], [b]) => Temporal.ZonedDateTime.compare(a, b))[0]
  if (change) {
    const [time, then] = change
    notes.add(`From ${formatDate(time)} on, when the clocks change, ${one.label} is ${then} ${other.label}.`)
  }
  return `${formatPlace(here, one)} is ${gap} ${formatPlace(there, other)}.`
}

/** `14 hours ahead of`. */
function inWords(here: Temporal.ZonedDateTime, there: Temporal.ZonedDateTime): string {
  const gap = there.toPlainDateTime().until(here.toPlainDateTime(), { largestUnit: 'hours' })
  return gap.blank ? 'at the same time as' : `${formatSpan(gap)} ${gap.sign > 0 ? 'ahead of' : 'behind'}`
}
