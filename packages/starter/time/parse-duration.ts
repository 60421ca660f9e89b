import { ToolError } from '@agent-task-service/engine/tool'
import { Temporal } from 'temporal-polyfill'
import { LONGEST, normalizedText, piecesOf, unread } from './parse-time.ts'

const FORMS =
  'Write it as "3 days 4 hours", "1.5 hours", "90 minutes", "1 month", "-2 weeks", "5 business days" or P1DT2H.'

/** Pattern sources of units, in the order of ISO 8601. */
const UNITS = [
  'y(?:ears?|rs?)?',
  'mo(?:nth)?s?',
  'w(?:eek|k)?s?',
  'd(?:ays?)?',
  'h(?:ours?|rs?)?',
  'm(?:in(?:ute)?s?)?',
  's(?:ec(?:ond)?s?)?',
]
const LETTERS = 'YMWDHMS'
const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const WORD = String.raw`\b(?:an?|the|${NUMBERS.join('|')}) `
const WHOLE = String.raw`(?<![\d.⁄]|\d,)(?:\d{1,3}(?:,\d{3})+|\d+)`
const BUSINESS_DAYS = new RegExp(
  `^(${WORD}|${WHOLE} )(?:(?:business|working)[ -]days?|work ?days?|weekdays?)$`,
)
/** An amount and its unit. A unit alone, in the singular, is one of it: `day after tomorrow`. */
const PART = new RegExp(
  String.raw`(${WORD}|${WHOLE}(?:\.\d+)? ?|^(?=[a-z]{3,}(?<!s)\b))(?:(${UNITS.join(')|(')}))\.?(?![a-z])(?:,? and |[, ]+)?`,
  'g',
)

/** Ways to name a moment by what passes until it, from now or from another time. */
const STEPS = [
  /^in (?<duration>.+)$/i,
  /^(?<duration>.+) (?:later|hence|(?<back>ago|earlier))$/i,
  /^(?<duration>.+) (?:after|from|(?<back>before)) (?<time>.+)$/i,
  /^(?<time>.+?) ?(?:\+|plus) ?(?<duration>.+)$/i,
  /^(?<time>.+) (?<back>-|minus) ?(?<duration>.+)$/i,
]

/** A duration, or a number of business days. */
export type Span = Temporal.Duration | number

/**
 * Reads an ISO 8601 duration, words, or business days with nothing beside them; a sign before it holds for the whole.
 * @throws {ToolError} when the text cannot be read
 * @example
 * parseSpan('1 day and 2.5 hours').toString() // 'P1DT2H30M'
 * parseSpan('-5 working days') // -5
 */
export function parseSpan(text: string): Span {
  const span = spanIn(normalizedText(text, 'A duration', FORMS))
  refuseCapital(text)
  if (Array.isArray(span)) throw unread(span, FORMS)
  return span
}

/** @throws {ToolError} for `3M`, which many mean as months; after hours, or in ISO 8601, M says what it is */
function refuseCapital(text: string): void {
  if (/^[^pPhH]*?(?<![A-Za-z])M(?![A-Za-z])/.test(text))
    throw new ToolError('"M" may be months or minutes: write "3 months" or "3 minutes".')
}

/** The time and what is added to it, in a text such as `in 3 days` or `2 weeks before 2026-03-01`. */
export function readStep(text: string): { readonly time: string; readonly span: Span } | undefined {
  if (text.length > LONGEST) return undefined
  for (const pattern of STEPS) {
    const { duration, time = 'now', back } = pattern.exec(text.trim())?.groups ?? {}
    const span = spanIn(`${back ? '-' : ''}${duration?.toLowerCase()}`)
    if (!duration || Array.isArray(span)) continue
    refuseCapital(duration)
    return { time, span }
  }
  return undefined
}

/** What the text says, or what in it is no part of a span or names a unit again. */
function spanIn(text: string): Span | string[] {
  const [, sign = '', body = ''] = /^([+-]?) ?(.*)$/.exec(text)!
  const [, days] = BUSINESS_DAYS.exec(body) ?? []
  if (days) return Number(`${sign}${digits(days)}`)
  const amounts = [...LETTERS].map(() => '')
  // In `p1m2dt3m`, M is two units: `1mo2d3m`.
  const words = body.replace(/^p(?=t?\d)([^t]*)t?/, (_, date: string) => date.replaceAll('m', 'mo'))
  const rest = words.replace(PART, (part, amount, ...units) => {
    const at = units.findIndex(Boolean)
    if (amounts[at]) return part
    amounts[at] = `${digits(amount)}${LETTERS[at]}`
    return '\n'
  })
  const unread = piecesOf(rest)
  if (unread.length > 0) return words === body ? unread : [text]
  const [date, clock] = [amounts.slice(0, 4).join(''), amounts.slice(4).join('')]
  try {
    return Temporal.Duration.from(`${sign}P${date}${clock && `T${clock}`}`)
  } catch {
    // Nothing at all, or fractions of a unit that has none.
    return [text]
  }
}

/** Of `1,200` and `two`; all that is no number is one. */
function digits(amount: string): string {
  return /\d/.test(amount) ? amount.replace(/[, ]/g, '') : `${NUMBERS.indexOf(amount.trim()) + 1 || 1}`
}
