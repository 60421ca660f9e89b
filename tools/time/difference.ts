import { countBusinessDays } from './business-days.ts'
import { count, formatClock, formatDate, formatOffset, formatSpan } from './format.ts'
import { type Moment, readMoments } from './moments.ts'
import { type Reckoning, show, ZONELESS } from './reckoning.ts'
import { zoneTitle } from './zone.ts'

/** The difference of two moments, by the calendar and in total. Dates alone are counted in days. */
export function difference(
  start: string,
  end: string,
  from: string | undefined,
  reckoning: Reckoning,
): string[] {
  const now = reckoning.now.toZonedDateTimeISO('UTC')
  const starts = readMoments(start, from, reckoning, isPresent(end) ? { side: -1, at: now } : undefined)
  // Dates do not show their zone, so readings that differ only in zone would repeat the same answer.
  const blocks = new Map<string, string[]>()
  for (const first of starts) {
    for (const second of readMoments(end, from, reckoning, { side: 1, at: first.time })) {
      const isInDays = first.only === 'date' && second.only === 'date'
      const lines = isInDays ? inDays(first, second, reckoning) : inTime(first, second, reckoning)
      blocks.set(lines.join(), lines)
    }
  }
  return [...blocks.values()].flat()
}

function isPresent(text: string): boolean {
  return /^\s*(?:(?:right )?now|today)\b/i.test(text)
}

function inDays(start: Moment, end: Moment, { notes }: Reckoning): string[] {
  const [first, second] = [start.time.toPlainDate(), end.time.toPlainDate()]
  const { days } = first.until(second, { largestUnit: 'days' })
  const weeks = first.until(second, { largestUnit: 'weeks' })
  const business = countBusinessDays(first, second)
  notes.add(
    `Business days in between: ${business} (Monday to Friday, end date not counted; holidays are not excluded).`,
  )
  const inWeeks = weeks.weeks === 0 ? '' : ` = ${formatSpan(weeks)}${days < 0 ? ' back' : ''}`
  return [
    `From ${formatDate(first)} to ${formatDate(second)}`,
    `Calendar: ${days === 0 ? '0 days' : formatSpan(first.until(second, { largestUnit: 'years' }))}${back(days)}`,
    `Total: ${count(days, 'days')}${inWeeks}`,
  ]
}

function inTime(start: Moment, end: Moment, reckoning: Reckoning): string[] {
  const ends = [start, end].map(({ time, zone }) => show(time, zone, reckoning))
  noteZones(start, end, reckoning)
  const there = end.time.withTimeZone(start.time.timeZoneId)
  const elapsed = start.time.toInstant().until(end.time.toInstant(), { largestUnit: 'hours' })
  const seconds = elapsed.total('seconds')
  const totals = (['hours', 'minutes', 'seconds'] as const)
    .map(unit => [Math.abs(elapsed.total(unit)), unit] as const)
    .filter(([amount]) => amount >= 1)
    .map(([amount, unit]) => count(amount, unit))
  const words = formatSpan(elapsed.round({ largestUnit: 'days' }))
  const two = start.zone && end.zone && start.zone.id !== end.zone.id
  const by = two ? ` (by the clock of ${zoneTitle(start.zone)})` : ''
  return [
    `From ${ends.join(' to ')}`,
    `Calendar: ${formatSpan(start.time.until(there, { largestUnit: 'years' }))}${back(seconds)}${by}`,
    `Total: ${[...new Set([words, ...totals])].join(' = ')}${seconds < 0 ? ' back' : ''}`,
  ]
}

function noteZones(start: Moment, end: Moment, { notes }: Reckoning): void {
  if (start.only === 'date' || end.only === 'date')
    notes.add('A date without a time of day is read as 00:00.')
  if (!start.zone && !end.zone) {
    notes.add(ZONELESS)
  } else if (!start.zone || !end.zone) {
    notes.add('Only one of the two names a zone; the other is read in UTC. Name its place.')
  } else if (start.zone.id === end.zone.id && start.time.offset !== end.time.offset) {
    const shift = (end.time.offsetNanoseconds - start.time.offsetNanoseconds) / 3.6e12
    notes.add(
      `The clocks of ${start.zone.label} stand ${Math.abs(shift)} h further ${shift > 0 ? 'ahead' : 'back'} at the end ` +
        `(${formatOffset(start.time)}, then ${formatOffset(end.time)}); the total counts real time, in days of 24 hours.`,
    )
  } else if (start.only === 'clock' && end.only === 'clock') {
    noteSameDate(start, end, notes)
  }
}

/** "9am in New York and 9am in Tokyo": the next 9am in Tokyo is on the following day. */
function noteSameDate(start: Moment, end: Moment, notes: Set<string>): void {
  const { year, month, day } = start.time
  const sameDate = end.time.with({ year, month, day })
  if (sameDate.equals(end.time)) return
  const gap = formatSpan(sameDate.until(start.time, { largestUnit: 'hours' }))
  notes.add(`On the same date, ${formatClock(end.time)} in ${end.zone?.label} is ${gap} before the start.`)
}

function back(amount: number): string {
  return amount < 0 ? ' back (the end is before the start)' : ''
}
