import { Temporal } from 'temporal-polyfill'
import { count, formatDate, formatOffset, formatSpan } from './format.ts'
import { type Moment, show, type TimeContext } from './moment.ts'
import { NO_ZONE, zoneTitle } from './zone.ts'

const MONDAY = new Temporal.PlainDate(1970, 1, 5)

const back = (sign: number) => (sign < 0 ? ' back (the end is before the start)' : '')

/** The difference of two moments, by the calendar and in total. Dates alone are counted in days. */
export function difference(start: Moment, end: Moment, context: TimeContext): string[] {
  return start.isDate && end.isDate ? inDays(start, end) : inTime(start, end, context)
}

function inDays(start: Moment, end: Moment): string[] {
  const [first, second] = [start.time.toPlainDate(), end.time.toPlainDate()]
  const { days } = first.until(second, { largestUnit: 'days' })
  const weeks = first.until(second, { largestUnit: 'weeks' })
  const inWeeks = weeks.weeks === 0 ? '' : ` = ${formatSpan(weeks)}${days < 0 ? ' back' : ''}`
  const [earlier, later] = days < 0 ? [second, first] : [first, second]
  const before = weekdaysBefore(later) - weekdaysBefore(earlier)
  const within = weekdaysBefore(later.add({ days: 1 })) - weekdaysBefore(earlier)
  return [
    `From ${formatDate(first)} to ${formatDate(second)}`,
    `Calendar: ${formatSpan(first.until(second, { largestUnit: 'years' }), ', ', 'days')}${back(days)}`,
    `Total: ${count(days, 'days')}${inWeeks}`,
    `Monday to Friday, from the first day on: ${count(before, 'days')} without the last day, ${within} with it`,
  ]
}

/** Days from Monday to Friday since a Monday long ago; negative before it. */
function weekdaysBefore(day: Temporal.PlainDate): number {
  return Math.floor(MONDAY.until(day).days / 7) * 5 + Math.min(day.dayOfWeek - 1, 5)
}

function inTime(start: Moment, end: Moment, context: TimeContext): string[] {
  const ends = `From ${show(start, context)} to ${show(end, context)}`
  noteZones(start, end, context)
  const there = end.time.withTimeZone(start.time.timeZoneId)
  const elapsed = start.time.toInstant().until(end.time.toInstant(), { largestUnit: 'hours' })
  const totals = (['hours', 'minutes', 'seconds'] as const).flatMap(unit => {
    const amount = Math.abs(elapsed.total(unit))
    return amount >= 1 ? count(amount, unit) : []
  })
  const words = formatSpan(elapsed.round({ largestUnit: 'days' }))
  const by = start.zone.id === end.zone.id ? '' : ` (by the clock of ${zoneTitle(start.zone) || 'UTC'})`
  return [
    ends,
    `Calendar: ${formatSpan(start.time.until(there, { largestUnit: 'years' }))}${back(elapsed.sign)}${by}`,
    `Total: ${[...new Set([words, ...totals])].join(' = ')}${elapsed.sign < 0 ? ' back' : ''}`,
  ]
}

function noteZones(start: Moment, end: Moment, { notes }: TimeContext): void {
  const shift = (end.time.offsetNanoseconds - start.time.offsetNanoseconds) / 3.6e12
  if (start.zone === NO_ZONE && end.zone === NO_ZONE)
    notes.add('No zone was named: clock changes are ignored. Name a place if they matter.')
  else if (start.zone === NO_ZONE || end.zone === NO_ZONE)
    notes.add('A time without a zone is read as UTC: name its place.')
  else if (start.zone.id === end.zone.id && shift !== 0)
    notes.add(
      `At the end, clocks in ${start.zone.label} are ${Math.abs(shift)} h further ${shift > 0 ? 'ahead' : 'back'} ` +
        `(${formatOffset(start.time)}, then ${formatOffset(end.time)}); the total is elapsed time, in 24-hour days.`,
    )
}
