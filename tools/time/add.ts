import type { Temporal } from 'temporal-polyfill'
import { moveDate } from './business-days.ts'
import { count, formatDate, formatMoment, formatOffset, formatSpan } from './format.ts'
import type { Moment } from './moments.ts'
import type { Span } from './parse-duration.ts'
import { type Reckoning, show, ZONELESS } from './reckoning.ts'
import { readWall } from './wall-clock.ts'
import type { Zone } from './zone.ts'

/**
 * A moment plus or minus a duration, in its zone and in any others requested. Years to days move the date at the same
 * local clock time; hours, minutes and seconds then add elapsed time.
 */
export function add(
  starts: readonly Moment[],
  span: Span,
  zones: readonly Zone[],
  reckoning: Reckoning,
): string[] {
  const { duration, businessDays } = span
  const clock = duration.with({ years: 0, months: 0, weeks: 0, days: 0 })
  const isBusiness = businessDays !== undefined
  const sign = Math.min(duration.sign, businessDays ?? 0) < 0 ? '-' : '+'
  const amount = isBusiness ? count(Math.abs(businessDays), 'business days') : formatSpan(duration, ' ')
  if (isBusiness) reckoning.notes.add('Business days are Monday to Friday; holidays are not excluded.')
  const lines = starts.flatMap(start => {
    const date = start.time.toPlainDate()
    noteMonthEnd(date, span, reckoning)
    if (start.only === 'date' && clock.blank && zones.length === 0) {
      return [`${formatDate(date)} ${sign} ${amount} = ${formatDate(moveDate(date, span))}`]
    }
    if (start.only === 'date') reckoning.notes.add('A date without a time of day is read as 00:00.')
    if (!start.zone && !clock.blank) reckoning.notes.add(ZONELESS)
    return afterDate(start, span, reckoning).map(between => {
      const time = between.add(clock)
      const here = show(time, start.zone, reckoning)
      if (start.zone) noteClockChange(between, time, start.zone, reckoning)
      const shown = [here, ...zones.map(zone => show(time.withTimeZone(zone.id), zone, reckoning))]
      return `${formatMoment(start.time, start.zone)} ${sign} ${amount} = ${shown.join(' = ')}`
    })
  })
  return [...new Set(lines)]
}

/** Moves the date at the same local clock time, which may fall into a clock change. */
function afterDate(
  { time, zone }: Moment,
  span: Span,
  { notes }: Reckoning,
): readonly Temporal.ZonedDateTime[] {
  const date = moveDate(time.toPlainDate(), span)
  if (date.equals(time.toPlainDate())) return [time]
  const plain = date.toPlainDateTime(time.toPlainTime())
  return zone ? readWall(plain, zone, notes) : [plain.toZonedDateTime('UTC')]
}

function noteMonthEnd(date: Temporal.PlainDate, { duration }: Span, { notes }: Reckoning): void {
  const reached = date.add({ years: duration.years, months: duration.months })
  if (reached.day === date.day) return
  notes.add(`There is no day ${date.day} in that month: its last day, ${formatDate(reached)}, is taken.`)
}

function noteClockChange(
  before: Temporal.ZonedDateTime,
  after: Temporal.ZonedDateTime,
  zone: Zone,
  { notes }: Reckoning,
): void {
  if (before.offset === after.offset) return
  const offsets = `${formatOffset(before)} to ${formatOffset(after)}`
  notes.add(`The clocks of ${zone.label} change in between (${offsets}): hours are real time.`)
}
