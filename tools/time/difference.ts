import { count, decimal, formatDate, formatMoment, formatOffset, formatSpan } from './format.ts'
import { type Moment, type Reckoning, readMoments } from './moments.ts'
import { noteMoment } from './remarks.ts'
import { zoneTitle } from './zone.ts'

const DAY_SECONDS = 86_400

/** From one moment to another: by the calendar, and in total. Dates alone are counted in days. */
export function difference(
  start: string,
  end: string,
  from: string | undefined,
  reckoning: Reckoning,
): string[] {
  // From today to a day without a year: the next one is meant; from such a day to today: the last one.
  const starts = readMoments(start, from, reckoning, isPresent(end) ? 'past' : undefined)
  const ends = readMoments(end, from, reckoning, isPresent(start) ? 'future' : undefined)
  // Readings that differ only in a zone which dates do not show would repeat the same answer.
  const blocks = new Map<string, string[]>()
  for (const first of starts) {
    for (const second of ends) {
      const lines =
        first.dateOnly && second.dateOnly ? inDays(first, second) : inTime(first, second, reckoning)
      blocks.set(lines.join(), lines)
    }
  }
  return [...blocks.values()].flat()
}

function isPresent(text: string): boolean {
  return /^\s*(?:(?:right )?now|today)\b/i.test(text)
}

function inDays(start: Moment, end: Moment): string[] {
  const first = start.time.toPlainDate()
  const second = end.time.toPlainDate()
  const days = first.until(second, { largestUnit: 'days' }).days
  const calendar = first.until(second, { largestUnit: 'years' })
  const size = Math.abs(days)
  const weeks =
    size < 7
      ? ''
      : ` = ${formatSpan({ weeks: Math.floor(size / 7), days: size % 7 })}${days < 0 ? ' back' : ''}`
  return [
    `From ${formatDate(first)} to ${formatDate(second)}`,
    `Calendar: ${days === 0 ? '0 days' : formatSpan(calendar)}${back(days)}`,
    `Total: ${count(days, 'days')}${weeks}`,
  ]
}

function inTime(start: Moment, end: Moment, reckoning: Reckoning): string[] {
  noteMoment(start, reckoning)
  noteMoment(end, reckoning)
  noteZones(start, end, reckoning)
  const there = end.time.withTimeZone(start.time.timeZoneId)
  const elapsed = start.time.until(end.time, { largestUnit: 'seconds' })
  const seconds = elapsed.total('seconds')
  const calendar = start.time.until(there, { largestUnit: 'years' })
  const fine =
    calendar.seconds + calendar.milliseconds / 1e3 + calendar.microseconds / 1e6 + calendar.nanoseconds / 1e9
  const { years, months, days, hours, minutes } = calendar
  const two = start.zone && end.zone && start.zone.id !== end.zone.id
  const by = two ? ` (by the clock of ${zoneTitle(start.zone)})` : ''
  const totals = [
    count(seconds / DAY_SECONDS, 'days'),
    count(seconds / 3600, 'hours'),
    count(seconds / 60, 'minutes'),
    count(seconds, 'seconds'),
  ]
  return [
    `From ${formatMoment(start.time, start.zone)} to ${formatMoment(end.time, end.zone)}`,
    `Calendar: ${formatSpan({ years, months, days, hours, minutes, seconds: fine })}${back(seconds)}${by}`,
    `Total: ${totals.join(' = ')}`,
  ]
}

function noteZones(start: Moment, end: Moment, { notes }: Reckoning): void {
  if (start.dateOnly || end.dateOnly) notes.add('A date without a time of day is read as 00:00.')
  if (!start.zone && !end.zone) {
    notes.add(
      'No zone was named: clock changes are not reckoned with. Name a place in "from_zone" if they matter.',
    )
  } else if (!start.zone || !end.zone) {
    notes.add('Only one of the two names a zone; the other is read in UTC. Name its place in "from_zone".')
  } else if (start.zone.id === end.zone.id && start.time.offset !== end.time.offset) {
    const hours = decimal(Math.abs(end.time.offsetNanoseconds - start.time.offsetNanoseconds) / 3.6e12)
    notes.add(
      `The clocks of ${start.zone.label} stand ${hours} h ${later(start, end) ? 'further ahead' : 'further back'} at the end ` +
        `(${formatOffset(start.time)}, then ${formatOffset(end.time)}); the total counts real time, in days of 24 hours.`,
    )
  }
}

function later(start: Moment, end: Moment): boolean {
  return end.time.offsetNanoseconds > start.time.offsetNanoseconds
}

function back(amount: number): string {
  return amount < 0 ? ' back (the end is before the start)' : ''
}
