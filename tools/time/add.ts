import type { Temporal } from 'temporal-polyfill'
import { formatDate, formatMoment, formatOffset, formatSpan } from './format.ts'
import { type Moment, type Reckoning, readMoments, readZones } from './moments.ts'
import { parseDuration, type Span } from './parse-duration.ts'
import { inZone, noteMoment } from './remarks.ts'
import { readWall } from './wall-clock.ts'

/** What to add to what. */
export interface Addition {
  moment: string
  duration: string
  /** The zone in which a moment that names none is read. */
  from: string | undefined
  /** Zones to show the result in as well. */
  to: readonly string[]
}

/**
 * A moment plus or minus a duration. Years to days move the date and keep the local clock; hours, minutes and
 * seconds are real time, counted after.
 */
export function add({ moment, duration, from, to }: Addition, reckoning: Reckoning): string[] {
  const span = parseDuration(duration)
  const { years, months, weeks, days, hours, minutes, seconds } = span
  const timed = hours !== 0 || minutes !== 0 || seconds !== 0
  const zones = readZones(to, reckoning)
  const shown = `${Object.values(span).some(amount => amount < 0) ? '-' : '+'} ${formatSpan(span)}`
  const lines = readMoments(moment, from, reckoning).flatMap(start => {
    noteMonthEnd(start.time.toPlainDate(), span, reckoning)
    if (start.dateOnly && !timed && zones.length === 0) {
      const date = start.time.toPlainDate()
      return [`${formatDate(date)} ${shown} = ${formatDate(date.add({ years, months, weeks, days }))}`]
    }
    noteStart(start, timed, reckoning)
    return afterDate(start, span, reckoning).map(between => {
      const time = between.add({ hours, minutes, ...exactSeconds(seconds) })
      const result: Moment = { ...start, time }
      noteMoment(result, reckoning)
      noteClockChange(between, result, timed, reckoning)
      const elsewhere = zones.map(zone => ` = ${inZone(result, zone, reckoning)}`).join('')
      return `${formatMoment(start.time, start.zone)} ${shown} = ${formatMoment(time, start.zone)}${elsewhere}`
    })
  })
  return [...new Set(lines)]
}

/** Moves the date and keeps the local clock, which may then fall into a clock change. */
function afterDate(
  { time, zone }: Moment,
  span: Span,
  { notes }: Reckoning,
): readonly Temporal.ZonedDateTime[] {
  const { years, months, weeks, days } = span
  if (years === 0 && months === 0 && weeks === 0 && days === 0) return [time]
  const plain = time.toPlainDateTime().add({ years, months, weeks, days })
  if (zone === undefined) return [plain.toZonedDateTime('UTC')]
  const { times, note } = readWall(plain, zone)
  if (note) notes.add(note)
  return times
}

/** Splits seconds, since only whole numbers of a unit can be added. */
function exactSeconds(seconds: number): { seconds: number; nanoseconds: number } {
  const whole = Math.trunc(seconds)
  return { seconds: whole, nanoseconds: Math.round((seconds - whole) * 1e9) }
}

function noteStart({ zone, dateOnly }: Moment, timed: boolean, { notes }: Reckoning): void {
  if (dateOnly) notes.add('A date without a time of day is read as 00:00.')
  if (zone === undefined && timed) {
    notes.add(
      'No zone was named: clock changes are not reckoned with. Name a place in "from_zone" if they matter.',
    )
  }
}

function noteMonthEnd(date: Temporal.PlainDate, { years, months }: Span, { notes }: Reckoning): void {
  const reached = date.add({ years, months })
  if (reached.day === date.day) return
  notes.add(`There is no day ${date.day} in that month: its last day, ${formatDate(reached)}, is taken.`)
}

function noteClockChange(
  before: Temporal.ZonedDateTime,
  { time, zone }: Moment,
  timed: boolean,
  { notes }: Reckoning,
): void {
  if (!timed || zone === undefined || before.offset === time.offset) return
  notes.add(
    `The clocks of ${zone.label} change in between (${formatOffset(before)} to ${formatOffset(time)}): hours are real time.`,
  )
}
