import { Temporal } from 'temporal-polyfill'
import { count, formatDate, formatMoment, formatOffset, formatSpan } from './format.ts'
import { type Moment, readWall, show, type TimeContext } from './moment.ts'
import { parseBusinessDays, parseDuration } from './parse-duration.ts'
import { addWeekdays } from './weekdays.ts'
import { NO_ZONE, type Zone } from './zone.ts'

/** What is added: a move to another date, then elapsed time. */
interface Step {
  /** `+ 3 days 4 hours` */
  readonly shown: string
  readonly moved: Temporal.PlainDate
  readonly clock: Temporal.Duration
}

/**
 * A moment plus or minus a duration, in its zone and in any others requested. Years to days and business days move the date at
 * the same local clock time; hours, minutes and seconds then add elapsed time.
 */
export function add(start: Moment, text: string, zones: readonly Zone[], context: TimeContext): string[] {
  const { notes } = context
  const { zone } = start
  const date = start.time.toPlainDate()
  const { shown, moved, clock } = stepFrom(date, text, notes)
  if (start.isDate && clock.blank && zones.length === 0)
    return [`${formatDate(date)} ${shown} = ${formatDate(moved)}`]
  if (zone === NO_ZONE)
    notes.add('No zone was named: clock changes are ignored. Name a place if they matter.')
  // The same local time may fall into a clock change on another date.
  const plain = moved.toPlainDateTime(start.time.toPlainTime())
  const before = moved.equals(date) ? start.time : readWall(plain, zone, notes)
  const result = { ...start, time: before.add(clock) }
  const offsets = [before, result.time].map(formatOffset)
  if (offsets[0] !== offsets[1])
    notes.add(`Clocks in ${zone.label} change in between (${offsets.join(' to ')}): hours are real time.`)
  const ends = [zone, ...zones].map(each => show(result, context, each))
  return [`${formatMoment(start.time, zone)} ${shown} = ${ends.join(' = ')}`]
}

function stepFrom(date: Temporal.PlainDate, text: string, notes: Set<string>): Step {
  const businessDays = parseBusinessDays(text)
  if (businessDays !== undefined) {
    notes.add('Business days are Monday to Friday; holidays count as such too.')
    const shown = `${businessDays < 0 ? '-' : '+'} ${count(Math.abs(businessDays), 'business days')}`
    return { shown, moved: addWeekdays(date, businessDays), clock: new Temporal.Duration() }
  }
  const duration = parseDuration(text)
  const { years, months, weeks, days } = duration
  const inMonth = date.add({ years, months })
  if (inMonth.day !== date.day)
    notes.add(`That month has no day ${date.day}: its last day is used, ${formatDate(inMonth)}.`)
  return {
    shown: `${duration.sign < 0 ? '-' : '+'} ${formatSpan(duration, ' ')}`,
    moved: date.add({ years, months, weeks, days }),
    clock: duration.with({ years: 0, months: 0, weeks: 0, days: 0 }),
  }
}
