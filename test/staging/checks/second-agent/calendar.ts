import { Temporal } from 'temporal-polyfill'
import { dayOf, readMoment } from './moments.ts'
import { digits } from './number-words.ts'

const UNIT = '(second|minute|hour|day|week|month|year)s?'
const WEEKDAYS = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ')

type Rule = readonly [RegExp, (parts: readonly string[], now: Date) => string | undefined]

const RULES: readonly Rule[] = [
  [
    /^(?:which |on )*(?:what |which )?(?:day of the week|day|weekday) (?:is|was|will|does|did|it is|falls)?(?: on| be)* ?(.+?)(?: (?:fall|be))?(?: on)?$/,
    weekday,
  ],
  [/^(?:the )?(?:day of the week|weekday) (?:of|on|for) (.+)$/, weekday],
  [
    new RegExp(
      `^how many ${UNIT} (?:are there |are |is it |lie |passed |were there )?(?:between|from) (.+?) (?:and|to|until) (.+)$`,
    ),
    span,
  ],
  [
    new RegExp(`^(?:the )?(?:number of|difference in) ${UNIT} (?:between|from) (.+?) (?:and|to|until) (.+)$`),
    span,
  ],
  [
    new RegExp(
      `^(?:(?:what|which|the|date|day|time|will|be|is|was|it|comes|falls|on) )*(\\d+) ${UNIT} (after|before|from|prior to|past) (.+)$`,
    ),
    shift,
  ],
  [
    new RegExp(`^(add|subtract) (\\d+) ${UNIT} (?:to|from) (.+)$`),
    ([, way, amount, unit, start], now) =>
      shift(['', amount!, unit!, way === 'add' ? 'after' : 'before', start!], now),
  ],
  [/^is (?:the year )?(\d{4}) a leap year$/, leap],
  [/^was (?:the year )?(\d{4}) a leap year$/, leap],
  [
    /^how many days (?:are |were )?(?:there )?in (?:the month of )?([a-z]+ \d{4})$/,
    ([, month], now) => month && daysIn(month, now),
  ],
]

export function readCalendar(question: string, now: Date): string | undefined {
  const text = digits(question)
  for (const [form, read] of RULES) {
    const parts = form.exec(text)
    const line = parts === null ? undefined : read(parts, now)
    if (line !== undefined) return line
  }
  return undefined
}

function weekday([, words = '']: readonly string[], now: Date): string | undefined {
  const moment = readMoment(words.replace(/^(it|is|was) /, ''), now)
  const date = moment?.date
  return date && !moment.time ? `${date} is a ${WEEKDAYS[date.dayOfWeek - 1]}.` : undefined
}

function span([, unit, from = '', to = '']: readonly string[], now: Date): string | undefined {
  const [start, end] = [from, to].map(words => instantOf(words, now))
  if (start === undefined || end === undefined) return undefined
  const total = start.until(end).total({ unit: unit as 'day', relativeTo: start })
  return `From ${shown(start)} to ${shown(end)}: ${Number(total.toFixed(6))} ${unit}s.`
}

function shift([, amount, unit, way, start = '']: readonly string[], now: Date): string | undefined {
  const from = instantOf(start, now)
  if (from === undefined) return undefined
  const length = { [`${unit}s`]: Number(amount) }
  const to = way === 'before' || way === 'prior to' ? from.subtract(length) : from.add(length)
  return `That is ${shown(to)}, a ${WEEKDAYS[to.dayOfWeek - 1]}.`
}

function leap([, year]: readonly string[]): string {
  const { inLeapYear } = Temporal.PlainDate.from({ year: Number(year), month: 1, day: 1 })
  return inLeapYear ? `Yes, ${year} is a leap year.` : `No, ${year} is not a leap year.`
}

function daysIn(words: string, now: Date): string | undefined {
  const date = readMoment(`1 ${words}`, now)?.date
  return date && `${date.daysInMonth} days.`
}

function instantOf(words: string, now: Date): Temporal.PlainDateTime | undefined {
  const moment = readMoment(words, now)
  return moment && (moment.date ?? dayOf(now)).toPlainDateTime(moment.time)
}

/** Without the time of day at midnight. */
function shown(moment: Temporal.PlainDateTime): string {
  const time = moment.toPlainTime()
  return time.equals(new Temporal.PlainTime())
    ? String(moment.toPlainDate())
    : moment.toString({ smallestUnit: 'minute' }).replace('T', ' ')
}
