import type { Temporal } from 'temporal-polyfill'
import { formatCount, formatDate, formatOffset, formatSpan } from './format.ts'
import { CLOCKS_IGNORED, type Moment, show, type TimeContext } from './moment.ts'
import { weekdaysBefore } from './weekdays.ts'
import { NO_ZONE, zoneTitle } from './zone.ts'

const back = (sign: number) => (sign < 0 ? ' back (the end is before the start)' : '')

/**
 * The difference of two moments, by the calendar and in total. Dates alone are counted in days, and a date beside a moment is
 * too: 108 days from today are 107 and some hours from now.
 */
export function difference(start: Moment, end: Moment, context: TimeContext): string[] {
  const days = byDates(start, end)
  if (start.isDate && end.isDate) return [days.ends, days.calendar, `Total: ${days.total}`, days.weekdays]
  const [ends = '', ...spans] = inTime(start, end, context)
  const isMixed = start.isDate || end.isDate
  return isMixed ? [ends, `By dates: ${days.total}`, days.weekdays, ...spans] : [ends, ...spans]
}

function byDates(start: Moment, end: Moment) {
  const [first, second] = datesOf(start, end)
  const { days } = first.until(second, { largestUnit: 'days' })
  const weeks = first.until(second, { largestUnit: 'weeks' })
  const inWeeks = weeks.weeks === 0 ? '' : ` = ${formatSpan(weeks)}${days < 0 ? ' back' : ''}`
  const [earlier, later] = days < 0 ? [second, first] : [first, second]
  const before = weekdaysBefore(later) - weekdaysBefore(earlier)
  const within = weekdaysBefore(later.add({ days: 1 })) - weekdaysBefore(earlier)
  return {
    ends: `From ${formatDate(first)} to ${formatDate(second)}`,
    calendar: `Calendar: ${formatSpan(first.until(second, { largestUnit: 'years' }), ', ', 'days')}${back(days)}`,
    total: `${formatCount(days, 'days')}${inWeeks}`,
    weekdays: `Monday to Friday, from the first day on: ${formatCount(before, 'days')} without the last day, ${within} with it`,
  }
}

/** A moment beside a date is on the day that it is where the date is. */
function datesOf(...moments: readonly [Moment, Moment]): [Temporal.PlainDate, Temporal.PlainDate] {
  const { zone = NO_ZONE } = moments.find(({ isDate }) => isDate) ?? {}
  const [first, second] = moments.map(({ time, isDate }) =>
    (isDate || zone === NO_ZONE ? time : time.withTimeZone(zone.id)).toPlainDate(),
  )
  return [first!, second!]
}

function inTime(start: Moment, end: Moment, context: TimeContext): string[] {
  const ends = `From ${show(start, context)} to ${show(end, context)}`
  noteZones(start, end, context)
  const there = end.time.withTimeZone(start.time.timeZoneId)
  const elapsed = start.time.toInstant().until(end.time.toInstant(), { largestUnit: 'hours' })
  const totals = (['hours', 'minutes', 'seconds'] as const).flatMap(unit => {
    const amount = Math.abs(elapsed.total(unit))
    return amount >= 1 ? formatCount(amount, unit) : []
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
  if (start.zone === NO_ZONE && end.zone === NO_ZONE) notes.add(CLOCKS_IGNORED)
  else if (start.zone === NO_ZONE || end.zone === NO_ZONE)
    notes.add('A time without a zone is read as UTC: name its place.')
  else if (start.zone.id === end.zone.id && shift !== 0)
    notes.add(
      `At the end, clocks in ${start.zone.label} are ${Math.abs(shift)} h further ${shift > 0 ? 'ahead' : 'back'} ` +
        `(${formatOffset(start.time)}, then ${formatOffset(end.time)}); the total is elapsed time, in 24-hour days.`,
    )
}
