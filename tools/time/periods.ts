import type { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { MONTHS, numberOf, WEEKDAYS } from './format.ts'
import type { Form } from './take.ts'
import { checkDate, inYear, OFFSETS, type WrittenDate, YEAR } from './written-date.ts'

type PlainDate = Temporal.PlainDate

const ORDINALS = 'first, second, third, fourth, fifth'.split(', ')
/** `first Monday of`, `last day of`, `15th of`, `end of`. */
const PLACE =
  `(?:the )?(?:(?<ordinal>${ORDINALS.join('|')}|[1-5](?:st|nd|rd|th)|last) (?<name>[a-z]{3,9})|` +
  '(?<edge>end|start|beginning|\\d{1,2}(?:st|nd|rd|th)|first(?= of)|last(?= of)))(?:(?: of| in)(?= \\d)|(?: of| in)? )'
/** In months. */
const LENGTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 }
const UNIT = '(?:(?<which>this|next|last|current) )?(?<unit>month|quarter|year(?! \\d{4}\\b))'
const LABEL = `(?:year|q(?<quarter>[1-4])|(?<month>[a-z]{3,9})\\.?)?${YEAR}`

/** A day by its place in a month, quarter or year: `last Friday of May`. A period alone stands for its first day. */
export const PERIOD: Form<WrittenDate> = [
  new RegExp(`^(?:${PLACE})?(?:the )?(?:${UNIT}|${LABEL})(?![a-z]| \\d{1,2}(?:st|nd|rd|th)?(?:,|$| \\d{4}))`),
  ({ 0: all, input, groups = {} }) => {
    const { ordinal, name = 'day', edge, which, unit, quarter, month, year, word } = groups
    const isAlone = !ordinal && !edge
    const weekday = numberOf(WEEKDAYS, name)
    const first = quarter ? Number(quarter) * 3 - 2 : month ? numberOf(MONTHS, month) : 1
    if (!first || (!weekday && name !== 'day') || !(unit || month || quarter || year)) return undefined
    if (isAlone && (all !== input || (unit && !which))) return undefined
    const months = LENGTHS[unit ?? (month ? 'month' : quarter ? 'quarter' : 'year')]!
    const later = { months: months * (OFFSETS[which!] ?? 0) }
    const start: WrittenDate = unit
      ? { days: today => [startOf(today, months).add(later)] }
      : inYear(one => checkDate(one, first, 1), year, word)
    return {
      ...start,
      days: (...near) => {
        const days = start.days(...near).flatMap(day => pickDay(day, months, weekday, ordinal ?? edge) ?? [])
        if (days.length > 0) return days
        throw new ToolError(`"${all}" does not exist.`)
      },
      note: (day, today) => {
        const notes = [start.note?.(day, today), isAlone && `No day was given: ${day} is assumed.`]
        const isLong = isAlone || edge === 'end' || ordinal === 'last'
        return [...notes, isLong && lengthOf(startOf(day, months), months)].filter(Boolean).join(' ')
      },
    }
  },
]

function startOf(day: PlainDate, months: number): PlainDate {
  return day.with({ day: 1, month: day.month - ((day.month - 1) % months) })
}

/** A day of the months from `start` on, if there is one; `weekday` is 0 for any. */
function pickDay(start: PlainDate, months: number, weekday: number, which = 'first') {
  const end = start.add({ months }).subtract({ days: 1 })
  if (which === 'last' || which === 'end')
    return end.subtract({ days: weekday && (end.dayOfWeek - weekday + 7) % 7 })
  const count = Math.max(0, ORDINALS.indexOf(which), Number.parseInt(which, 10) - 1 || 0)
  const day = start.add({ days: weekday ? ((weekday - start.dayOfWeek + 7) % 7) + count * 7 : count })
  return day.until(end).sign < 0 ? undefined : day
}

function lengthOf(start: PlainDate, months: number): string {
  const { days } = start.until(start.add({ months }))
  if (months === 12)
    return `${start.year} has ${days} days: it is ${start.inLeapYear ? 'a' : 'no'} leap year.`
  return `${months === 3 ? 'The quarter from ' : ''}${MONTHS[start.month - 1]} ${start.year} has ${days} days.`
}
