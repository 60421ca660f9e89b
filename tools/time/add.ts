import { moveDate } from './business-days.ts'
import { count, formatDate, formatMoment, formatOffset, formatSpan } from './format.ts'
import type { Span } from './parse-duration.ts'
import { type Moment, type Reckoning, show, ZONELESS } from './reckoning.ts'
import { readWall } from './wall-clock.ts'
import { NO_ZONE, type Zone } from './zone.ts'

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
  const { notes } = reckoning
  const { duration, businessDays, unit } = span
  const { years, months } = duration
  const clock = duration.with({ years: 0, months: 0, weeks: 0, days: 0 })
  const isBusiness = businessDays !== undefined
  const sign = Math.min(duration.sign, businessDays ?? 0) < 0 ? '-' : '+'
  const amount = isBusiness ? count(Math.abs(businessDays), unit) : formatSpan(duration, ' ', unit)
  if (isBusiness) notes.add('Business days are Monday to Friday; holidays are not excluded.')
  const lines = starts.flatMap(start => {
    const { zone } = start
    const date = start.time.toPlainDate()
    const moved = moveDate(date, span)
    const inMonth = date.add({ years, months })
    if (inMonth.day !== date.day)
      notes.add(`That month has no day ${date.day}: its last day is used, ${formatDate(inMonth)}.`)
    if (start.only === 'date' && clock.blank && zones.length === 0)
      return [`${formatDate(date)} ${sign} ${amount} = ${formatDate(moved)}`]
    if (zone === NO_ZONE && !clock.blank) notes.add(ZONELESS)
    // The same local time may fall into a clock change on another date.
    const plain = moved.toPlainDateTime(start.time.toPlainTime())
    const between = moved.equals(date) ? [start.time] : readWall(plain, zone, notes)
    return between.map(before => {
      const result = { ...start, time: before.add(clock) }
      const shown = [zone, ...zones].map(each => show(result, reckoning, each))
      const offsets = [before, result.time].map(formatOffset)
      if (offsets[0] !== offsets[1])
        notes.add(`Clocks in ${zone.label} change in between (${offsets.join(' to ')}): hours are real time.`)
      return `${formatMoment(start.time, zone)} ${sign} ${amount} = ${shown.join(' = ')}`
    })
  })
  return [...new Set(lines)]
}
