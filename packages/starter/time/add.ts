import { formatDate, formatMoment, formatOffset, formatSpan } from './format.ts'
import { type Moment, readWall, show, type TimeContext } from './moment.ts'
import { parseDuration } from './parse-duration.ts'
import { NO_ZONE, type Zone } from './zone.ts'

/**
 * A moment plus or minus a duration, in its zone and in any others requested. Years to days move the date at the same
 * local clock time; hours, minutes and seconds then add elapsed time.
 */
export function add(start: Moment, text: string, zones: readonly Zone[], context: TimeContext): string[] {
  const { notes } = context
  const { zone } = start
  const duration = parseDuration(text)
  const { years, months, weeks, days } = duration
  const clock = duration.with({ years: 0, months: 0, weeks: 0, days: 0 })
  const amount = `${duration.sign < 0 ? '-' : '+'} ${formatSpan(duration, ' ')}`
  const date = start.time.toPlainDate()
  const moved = date.add({ years, months, weeks, days })
  const inMonth = date.add({ years, months })
  if (inMonth.day !== date.day)
    notes.add(`That month has no day ${date.day}: its last day is used, ${formatDate(inMonth)}.`)
  if (start.isDate && clock.blank && zones.length === 0)
    return [`${formatDate(date)} ${amount} = ${formatDate(moved)}`]
  if (zone === NO_ZONE)
    notes.add('No zone was named: clock changes are ignored. Name a place if they matter.')
  // The same local time may fall into a clock change on another date.
  const plain = moved.toPlainDateTime(start.time.toPlainTime())
  const before = moved.equals(date) ? start.time : readWall(plain, zone, notes)
  const result = { ...start, time: before.add(clock) }
  const offsets = [before, result.time].map(formatOffset)
  if (offsets[0] !== offsets[1])
    notes.add(`Clocks in ${zone.label} change in between (${offsets.join(' to ')}): hours are real time.`)
  const shown = [zone, ...zones].map(each => show(result, context, each))
  return [`${formatMoment(start.time, zone)} ${amount} = ${shown.join(' = ')}`]
}
