import type { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { MONTHS, numberOf, WEEKDAYS } from './format.ts'
import type { Form } from './take.ts'
import { checkDate, inYear, OFFSETS, type WrittenDate, withNote, YEAR } from './written-date.ts'

const ORDINALS = 'first, second, third, fourth, fifth'.split(', ')
/** `first Monday of`, `last day of`, `end of`. */
const PLACE =
  `(?:the )?(?:(?<ordinal>${ORDINALS.join('|')}|[1-5](?:st|nd|rd|th)|last) (?<name>[a-z]{3,9})|` +
  '(?<edge>end|start|beginning))(?:(?: of| in)(?= \\d)|(?: of| in)? )'
/** In months. */
const LENGTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 }
const UNIT = '(?:(?<which>this|next|last|current) )?(?<unit>month|quarter|year)(?! ?\\d)'
const LABEL = `(?:year|q(?<quarter>[1-4])|(?<month>[a-z]{3,9})\\.?)?${YEAR}`

/** A day by its place in a month, quarter or year: `last Friday of May`. A period alone stands for its first day. */
export const PERIOD: Form<WrittenDate> = [
  new RegExp(`^(?:${PLACE})?(?:the )?(?:${UNIT}|${LABEL})(?![a-z])`),
  ({ 0: all, input, groups = {} }) => {
    const { ordinal, name = 'day', edge, which, unit, quarter, month, year, word } = groups
    const isAlone = !ordinal && !edge
    const weekday = numberOf(WEEKDAYS, name)
    const first = quarter ? Number(quarter) * 3 - 2 : month ? numberOf(MONTHS, month) : 1
    if (!first || (!weekday && name !== 'day') || !(unit || month || quarter || year)) return undefined
    if (isAlone && (all !== input || (unit && !which))) return undefined
    const months = LENGTHS[unit ?? (month ? 'month' : quarter ? 'quarter' : 'year')]!
    const pick = (start: Temporal.PlainDate) => pickDay(start, months, weekday, ordinal ?? edge)
    const note = (day: Temporal.PlainDate) => describe(startOf(day, months), months, isAlone)
    if (unit)
      return {
        days: today => [pick(startOf(today, months).add({ months: months * (OFFSETS[which!] ?? 0) }))],
        note,
      }
    return withNote(
      inYear(one => pick(checkDate(one, first, 1)), year, word),
      note,
    )
  },
]

function startOf(day: Temporal.PlainDate, months: number): Temporal.PlainDate {
  return day.with({ day: 1, month: day.month - ((day.month - 1) % months) })
}

/**
 * A day of the months from `start` on.
 * @param weekday from 1; 0 for any day
 * @param which an ordinal or edge; none for the first day
 */
function pickDay(start: Temporal.PlainDate, months: number, weekday: number, which = ''): Temporal.PlainDate {
  const end = start.add({ months }).subtract({ days: 1 })
  if (which === 'last' || which === 'end')
    return end.subtract({ days: weekday && (end.dayOfWeek - weekday + 7) % 7 })
  const count = Math.max(0, ORDINALS.indexOf(which), Number.parseInt(which, 10) - 1 || 0)
  const day = start.add({ days: weekday ? ((weekday - start.dayOfWeek + 7) % 7) + count * 7 : count })
  if (day.toString() <= end.toString()) return day
  throw new ToolError(
    `There is no ${which} ${WEEKDAYS[weekday - 1]} in ${MONTHS[start.month - 1]} ${start.year}.`,
  )
}

/** How long a period is, and what a period alone is read as. */
function describe(start: Temporal.PlainDate, months: number, isAlone: boolean): string {
  const days = start.until(start.add({ months })).days
  const name = months === 12 ? start.year : `${MONTHS[start.month - 1]} ${start.year}`
  const length =
    months === 12
      ? `${start.year} has ${days} days: it is ${start.inLeapYear ? 'a' : 'no'} leap year.`
      : `${months === 3 ? 'The quarter from ' : ''}${name} has ${days} days.`
  return isAlone ? `No day was given: ${start} is assumed. ${length}` : length
}
