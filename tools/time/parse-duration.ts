import { ToolError } from '../tool.ts'

/** A duration: calendar parts and clock parts, all of one sign. */
export interface Span {
  years: number
  months: number
  weeks: number
  days: number
  hours: number
  minutes: number
  seconds: number
}

/** Longest text that is read as a duration. */
export const LONGEST_DURATION = 100

const FORMS = 'Write it as "3 days 4 hours", "90 minutes", "2 weeks", "1 month", "-2 days" or P1DT2H.'
const MOST = 1e11

const UNITS: readonly (readonly [RegExp, keyof Span, number])[] = [
  [/^centur(?:y|ies)$/, 'years', 100],
  [/^decades?$/, 'years', 10],
  [/^(?:years?|yrs?|y)$/, 'years', 1],
  [/^quarters?$/, 'months', 3],
  [/^(?:months?|mos?|mths?)$/, 'months', 1],
  [/^fortnights?$/, 'weeks', 2],
  [/^(?:weeks?|wks?|w)$/, 'weeks', 1],
  [/^(?:days?|d)$/, 'days', 1],
  [/^(?:hours?|hrs?|h)$/, 'hours', 1],
  [/^(?:minutes?|mins?|m)$/, 'minutes', 1],
  [/^(?:seconds?|secs?|s)$/, 'seconds', 1],
]

const WORDS = new Map<string, number>(
  'zero one two three four five six seven eight nine ten eleven twelve'
    .split(' ')
    .map((word, value) => [word, value]),
)
for (const [word, value] of [
  ['a', 1],
  ['an', 1],
  ['half', 0.5],
] as const)
  WORDS.set(word, value)

/**
 * Reads an ISO 8601 duration or words. Only hours, minutes and seconds may have fractions, since a month, and
 * across a clock change a day, has no fixed length.
 * @throws {ToolError} when it cannot be read.
 */
export function parseDuration(text: string): Span {
  if (text.length > LONGEST_DURATION) {
    throw new ToolError(
      `A duration of ${text.length} characters is too long (at most ${LONGEST_DURATION}). ${FORMS}`,
    )
  }
  const whole = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2212\u2013]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
  if (whole === '') throw new ToolError(`A duration is empty. ${FORMS}`)
  const sign = /^(?:-|minus )/.test(whole) || / (?:ago|earlier|before)$/.test(whole) ? -1 : 1
  const body = whole
    .replace(/^(?:[+-]|minus |plus |in )\s*/, '')
    .replace(/ (?:ago|earlier|before|later|from now|after)$/, '')
  const parts = /^p[\dt]/.test(body) ? isoParts(text, body) : wordParts(text, body)
  const span: Span = { years: 0, months: 0, weeks: 0, days: 0, hours: 0, minutes: 0, seconds: 0 }
  for (const [unit, amount] of parts) span[unit] += amount
  for (const unit of Object.keys(span) as (keyof Span)[]) span[unit] = sign * span[unit] || 0
  return settle(text, span)
}

function isoParts(text: string, body: string): [keyof Span, number][] {
  const number = '(\\d{1,12}(?:[.,]\\d{1,9})?)'
  const found = new RegExp(
    `^p(?:${number}y)?(?:${number}m)?(?:${number}w)?(?:${number}d)?(?:t(?:${number}h)?(?:${number}m)?(?:${number}s)?)?$`,
  ).exec(body)
  if (!found || !/\d[ymwdhs]$/.test(body)) {
    throw new ToolError(`"${text}" is not an ISO 8601 duration: write P1Y2M3DT4H5M6S, or "3 days 4 hours".`)
  }
  const units: (keyof Span)[] = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds']
  return units.map((unit, at) => [unit, Number((found[at + 1] ?? '0').replace(',', '.'))])
}

function wordParts(text: string, body: string): [keyof Span, number][] {
  const parts: [keyof Span, number][] = []
  let rest = body
  while (rest !== '') {
    const found =
      /^(?:,? ?and |[, ]+)?(half an?|\d{1,12}(?:\.\d{1,9})?|[a-z]{1,6}(?= )) ?([a-z]{1,12})\.?/.exec(rest)
    const amount = found ? (WORDS.get(found[1]!.split(' ')[0]!) ?? Number(found[1])) : Number.NaN
    const unit = UNITS.find(([form]) => form.test(found?.[2] ?? ''))
    if (!found || Number.isNaN(amount) || !unit) {
      const signs = /[+-]/.test(rest) ? ' One sign, in front, holds for the whole.' : ''
      const working = /(?:business|working|week) ?days?/.test(body) ? ' Working days are not reckoned.' : ''
      throw new ToolError(
        `Cannot read "${rest.trim()}" in the duration "${text}".${signs}${working} ${FORMS}`,
      )
    }
    parts.push([unit[1], amount * unit[2]])
    rest = rest.slice(found[0].length)
  }
  if (parts.length === 0) throw new ToolError(`"${text}" is not a duration. ${FORMS}`)
  return parts
}

/** Checks sizes, and turns fractions of hours and minutes into whole smaller units. */
function settle(text: string, span: Span): Span {
  for (const [unit, amount] of Object.entries(span)) {
    if (Math.abs(amount) > MOST)
      throw new ToolError(`The duration "${text}" is too long: at most ${MOST} ${unit}.`)
  }
  for (const unit of ['years', 'months', 'weeks', 'days'] as const) {
    if (!Number.isInteger(span[unit])) {
      throw new ToolError(
        `A fraction of ${unit} has no fixed length ("${text}"): write whole ${unit} and smaller units, as "1 day 12 hours".`,
      )
    }
  }
  const minutes = span.minutes + fraction(span.hours) * 60
  const seconds = span.seconds + fraction(round(minutes)) * 60
  return {
    ...span,
    hours: Math.trunc(span.hours),
    minutes: Math.trunc(round(minutes)),
    seconds: round(seconds),
  }
}

function fraction(value: number): number {
  return value - Math.trunc(value)
}

/** Nanoseconds of a minute or second are the finest there is. */
function round(value: number): number {
  return Math.round(value * 1e9) / 1e9 || 0
}
