import { Temporal } from 'temporal-polyfill'
import { formatCount, formatDate, formatMoment, formatOffset, formatSpan } from './format.ts'
import { ASSUMED_MIDNIGHT, CLOCKS_IGNORED, type Moment, readWall, show, type TimeContext } from './moment.ts'
import { parseSpan, type Span } from './parse-duration.ts'
import { addWeekdays } from './weekdays.ts'
import { NO_ZONE, type Zone } from './zone.ts'

/** A moment plus or minus a duration, in its zone and in any others requested. */
export function add(start: Moment, text: string, zones: readonly Zone[], context: TimeContext): string[] {
  const { shown, moved } = move(start, parseSpan(text), context.notes)
  if (moved.isDate && zones.length === 0)
    return [`${formatDate(start.time)} ${shown} = ${formatDate(moved.time)}`]
  if (start.zone === NO_ZONE) context.notes.add(CLOCKS_IGNORED)
  const ends = [start.zone, ...zones].map(each => show(moved, context, each))
  return [`${formatMoment(start.time, start.zone)} ${shown} = ${ends.join(' = ')}`]
}

/**
 * Years to days and business days move the date at the same local clock time; hours, minutes and seconds then add elapsed time.
 * `shown` is what was added: `+ 3 days 4 hours`.
 */
export function move(start: Moment, span: Span, notes: Set<string>): { shown: string; moved: Moment } {
  const { zone, isDate } = start
  const date = start.time.toPlainDate()
  const { shown, day, clock } =
    typeof span === 'number' ? afterWeekdays(date, span, notes) : after(date, span, notes)
  // The same local time may fall into a clock change on another date.
  const plain = day.toPlainDateTime(start.time.toPlainTime())
  const before = day.equals(date) ? start.time : readWall(plain, zone, notes)
  const time = before.add(clock)
  if (clock.blank) return { shown, moved: { ...start, time } }
  if (isDate) notes.add(ASSUMED_MIDNIGHT)
  if (zone === NO_ZONE) notes.add(CLOCKS_IGNORED)
  const offsets = [before, time].map(formatOffset)
  if (offsets[0] !== offsets[1])
    notes.add(`Clocks in ${zone.label} change in between (${offsets.join(' to ')}): hours are real time.`)
  return { shown, moved: { ...start, time, isDate: false } }
}

function afterWeekdays(date: Temporal.PlainDate, days: number, notes: Set<string>) {
  notes.add('Business days are Monday to Friday; holidays count as such too.')
  const shown = `${days < 0 ? '-' : '+'} ${formatCount(Math.abs(days), 'business days')}`
  return { shown, day: addWeekdays(date, days), clock: new Temporal.Duration() }
}

function after(date: Temporal.PlainDate, span: Temporal.Duration, notes: Set<string>) {
  const { years, months, weeks, days, sign } = span
  const inMonth = date.add({ years, months })
  if (inMonth.day !== date.day)
    notes.add(`That month has no day ${date.day}: its last day is used, ${formatDate(inMonth)}.`)
  return {
    shown: `${sign < 0 ? '-' : '+'} ${formatSpan(span, ' ')}`,
    day: date.add({ years, months, weeks, days }),
    clock: span.with({ years: 0, months: 0, weeks: 0, days: 0 }),
  }
}
