import { ToolError } from '@agent-task-service/engine/tool'
import { Temporal } from 'temporal-polyfill'
import { LONGEST, plainText } from './parse-time.ts'

const FORMS =
  'Write it as "3 days 4 hours", "1.5 hours", "90 minutes", "1 month", "-2 weeks", "5 business days" or P1DT2H.'

/** Pattern sources of units, with the letters of ISO 8601; those of the clock in lower case. */
const UNITS = [
  ['y(?:ears?|rs?)?', 'Y'],
  ['mo(?:nth)?s?', 'M'],
  ['w(?:eek|k)?s?', 'W'],
  ['d(?:ays?)?', 'D'],
  ['h(?:ours?|rs?)?', 'h'],
  ['m(?:in(?:ute)?s?)?', 'm'],
  ['s(?:ec(?:ond)?s?)?', 's'],
] as const
const LETTERS = UNITS.map(
  ([name, letter]) => [new RegExp(`(?<=\\d) ?${name}\\.?(?![a-z])(?:,? and |[, ]+)?`, 'g'), letter] as const,
)

/** Ways to name a moment by what passes until it, from now or from another time. */
const STEPS = [
  /^in (?<duration>.+)$/i,
  /^(?<duration>.+) (?<back>ago|earlier)$/i,
  /^(?<duration>.+) (?:later|hence)$/i,
  /^(?<duration>.+) (?:after|from) (?<time>.+)$/i,
  /^(?<duration>.+) (?<back>before) (?<time>.+)$/i,
  /^(?<time>.+?) ?(?:\+|plus) ?(?<duration>.+)$/i,
  /^(?<time>.+) (?<back>-|minus) ?(?<duration>.+)$/i,
]

/**
 * Reads an ISO 8601 duration, or words in its order; a sign before it holds for the whole.
 * @throws {ToolError} when the text cannot be read
 * @example
 * parseDuration('1 day and 2.5 hours').toString() // 'P1DT2H30M'
 */
export function parseDuration(text: string): Temporal.Duration {
  const plain = plainText(text, 'A duration', FORMS)
  refuseCapital(text)
  const duration = durationIn(plain)
  if (duration) return duration
  const step = readStep(text)
  const form = step && step.time === 'now' ? `Write it as "${step.duration}".` : FORMS
  throw new ToolError(`Cannot read the duration "${text}". ${form}`)
}

/** @throws {ToolError} for `3M`, which many mean as months; after hours, or in ISO 8601, M says what it is */
function refuseCapital(text: string): void {
  if (/^[^pPhH]*?(?<![A-Za-z])M(?![A-Za-z])/.test(text))
    throw new ToolError('"M" may be months or minutes: write "3 months" or "3 minutes".')
}

const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ')
const NUMBER = new RegExp(`\\b(?:${NUMBERS.join('|')})\\b`, 'g')

/** Digits for numbers in words. */
const withDigits = (text: string) => text.replace(NUMBER, word => `${NUMBERS.indexOf(word) + 1}`)

/** What `add` would take for a text such as `in 3 days` or `2 weeks before 2026-03-01`. */
export function readStep(text: string): { readonly time: string; readonly duration: string } | undefined {
  if (text.length > LONGEST) return undefined
  for (const pattern of STEPS) {
    const { duration = '', time = 'now', back } = pattern.exec(text.trim())?.groups ?? {}
    const signed = back ? `-${duration}` : duration
    if (duration !== '' && (readBusinessDays(signed.toLowerCase()) ?? durationIn(signed.toLowerCase()))) {
      refuseCapital(duration)
      return { time, duration: signed }
    }
  }
  return undefined
}

function durationIn(whole: string): Temporal.Duration | undefined {
  const isBack = whole.startsWith('-')
  const body = withDigits(whole).replace(/^[+-] ?/, '')
  try {
    const iso = /^p/.test(body) ? body : toIso(body)
    if (namesAUnitTwice(iso)) return undefined
    const duration = Temporal.Duration.from(iso)
    return isBack ? duration.negated() : duration
  } catch {
    return undefined
  }
}

const BUSINESS_DAYS = /^([+-] ?)?(an?|\d[\d,]{0,9}) (?:(?:business|working)[ -]days?|work ?days?|weekdays?)$/

/**
 * Reads a number of business days; nothing else stands beside them.
 * @example
 * parseBusinessDays('-5 working days') // -5
 */
export function parseBusinessDays(text: string): number | undefined {
  return readBusinessDays(plainText(text, 'A duration', FORMS))
}

function readBusinessDays(whole: string): number | undefined {
  const [found, sign = '+', amount = ''] = BUSINESS_DAYS.exec(withDigits(whole)) ?? []
  if (found === undefined) return undefined
  const days = amount.startsWith('a') ? 1 : Number(amount.replaceAll(',', ''))
  return sign.startsWith('-') ? -days : days
}

/** V8's Temporal would read `1 hour 1 hour` as one hour. */
function namesAUnitTwice(iso: string): boolean {
  const [date = '', ...times] = iso.toLowerCase().split('t')
  return [date, times.join('')].some(part => /([a-z]).*\1/.test(part))
}

/** `3 days and 4 hours` becomes `P3DT4h`; what is no duration becomes a text that Temporal refuses. */
function toIso(words: string): string {
  const digits = words.replace(/\ban? /g, '1 ').replace(/(?<=\d),(?=\d{3}\b)/g, '')
  const letters = LETTERS.reduce((text, [unit, letter]) => text.replace(unit, letter), digits)
  return `P${letters.replace(/[\d.]+[hms]/, 'T$&')}`
}
