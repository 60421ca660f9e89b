import { Temporal } from 'temporal-polyfill'
import { withDigits } from '../number-words.ts'
import { ToolError } from '../tool.ts'
import { plainText } from './take.ts'

/** A span to add to a moment: business days, or calendar and clock units. */
export interface Span {
  readonly duration: Temporal.Duration
  /** Undefined when the text names none. */
  readonly businessDays?: number | undefined
  /** The last unit named, in which to show a span of nothing. */
  readonly unit: string
}

const FORMS = 'Write it as "3 days 4 hours", "90 minutes", "5 business days", "1 month", "-2 days" or P1DT2H.'
/** Pattern source for a unit of weekdays. */
export const BUSINESS_DAYS = '(?:business|working|work|week|banking|trading|b)[ -]?days?'
/** Pattern of a unit, the ISO 8601 unit it is a multiple of (factor and letters), and the unit to show. */
type Unit = readonly [form: RegExp, factor: number, iso: string, name: string]
const UNITS: readonly Unit[] = [
  [new RegExp(`^${BUSINESS_DAYS}$`), 1, '', 'business days'],
  [/^centur(?:y|ies)$/, 100, 'PY', 'years'],
  [/^decades?$/, 10, 'PY', 'years'],
  [/^(?:years?|yrs?|y)$/, 1, 'PY', 'years'],
  [/^quarters?$/, 3, 'PM', 'months'],
  [/^(?:months?|mos?|mths?)$/, 1, 'PM', 'months'],
  [/^fortnights?$/, 2, 'PW', 'weeks'],
  [/^(?:weeks?|wks?|w)$/, 1, 'PW', 'weeks'],
  [/^(?:days?|d)$/, 1, 'PD', 'days'],
  [/^(?:hours?|hrs?|h)$/, 3600, 'PTS', 'hours'],
  [/^(?:minutes?|mins?|m)$/, 60, 'PTS', 'minutes'],
  [/^(?:seconds?|secs?|s)$/, 1, 'PTS', 'seconds'],
  [/^(?:milliseconds?|ms)$/, 0.001, 'PTS', 'seconds'],
]
/** What fractions of a unit are counted in: 1.5 years are 18 months, half a day is 12 hours. */
const SMALLER: Partial<Record<string, readonly [count: number, unit: string]>> = {
  years: [12, 'months'],
  weeks: [7, 'days'],
  days: [24 * 3600, 'hours'],
}
const FIELDS = 'years months weeks days hours minutes seconds milliseconds microseconds nanoseconds'
const PART = new RegExp(
  String.raw`^(?:,? ?and |[, ]+)?(\d{1,12}(?:\.\d{1,9})?)(?:/([1-9]\d{0,8}))? ?(${BUSINESS_DAYS}|[a-z]{1,12})\.?`,
)

/**
 * Reads an ISO 8601 duration or words. Months and business days have no fractions, since they vary in length.
 * @throws {ToolError} when the text cannot be read
 * @example
 * parseDuration('two and a half hours').duration.toString() // 'PT2H30M'
 */
export function parseDuration(text: string): Span {
  const whole = withDigits(plainText(text, 'A duration', FORMS))
  const isBack = /^(?:-|minus )/.test(whole) || / (?:ago|earlier|before)$/.test(whole)
  const body = whole
    .replace(/^(?:[+-]|minus |plus |in )\s*/, '')
    .replace(/ (?:ago|earlier|before|later|from now|after)$/, '')
  const span = /^p[\dt]/.test(body) ? readIso(text, body) : readWords(text, body)
  if (!isBack) return span
  return { ...span, duration: span.duration.negated(), businessDays: span.businessDays && -span.businessDays }
}

function readIso(text: string, body: string): Span {
  try {
    const duration = Temporal.Duration.from(body.replaceAll(',', '.'))
    return { duration, unit: body.includes('t') ? 'seconds' : 'days' }
  } catch {
    throw new ToolError(`"${text}" is not an ISO 8601 duration: write P1Y2M3DT4H5M6S, or "3 days 4 hours".`)
  }
}

function readWords(text: string, body: string): Span {
  let duration = new Temporal.Duration()
  let businessDays: number | undefined
  let known: Unit | undefined
  const digits = body
    .replace(/\ba couple(?: of)? /g, '2 ')
    .replace(/\ban? (?!\d)/g, '1 ')
    .replace(/(\d)( [a-z]+)? and 1 half\b/g, '$1.5$2')
    .replace(/\b(?:1 )?half (?:1 )?/g, '0.5 ')
    .replace(/(?<=\d),(?=\d{3})/g, '')
    .replace(/(?<![\d.])(?:(\d+)(?: and |[ -]))?(\d+)[/⁄]([1-9]\d*)(?:(?: of)? 1(?= [a-z]))?/g, improper)
    // As Python writes it: `1 day, 3:00:00`.
    .replace(/(?<![\d:])(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)$/, '$1 hours $2 minutes $3 seconds')
  for (let rest = digits; rest !== '' || body === ''; ) {
    const [all = '', number, bottom = 1, unit = ''] = PART.exec(rest) ?? []
    known = UNITS.find(([form]) => form.test(unit))
    if (!known) {
      const signs = /[+-]/.test(rest) ? ' Write one sign, in front of the whole.' : ''
      throw new ToolError(`Cannot read "${rest.trim()}" in the duration "${text}".${signs} ${FORMS}`)
    }
    let amount = (Number(number) * known[1]) / Number(bottom)
    for (let smaller = SMALLER[known[3]]; smaller && !Number.isInteger(amount); smaller = SMALLER[known[3]]) {
      amount = Number((amount * smaller[0]).toFixed(bottom === 1 ? 9 : 12))
      known = UNITS.find(([, , , name]) => name === smaller![1])!
    }
    const [, , iso, name] = known
    if (iso === 'PTS' && bottom !== 1 && Number(amount.toFixed(9)) !== amount)
      throw new ToolError(`"${all.trim()}" is not a whole number of nanoseconds: write it in smaller units.`)
    if (iso !== 'PTS' && !Number.isInteger(amount))
      throw new ToolError(`A fraction of ${name} has no fixed length ("${text}"): use smaller units.`)
    if (iso === '') businessDays = (businessDays ?? 0) + amount
    else duration = sum(text, duration, amount, known)
    rest = rest.slice(all.length)
  }
  if (businessDays !== undefined && !duration.blank)
    throw new ToolError(`Business days do not combine with other units, as in "${text}".`)
  return { duration, businessDays, unit: known![3] }
}

/** `2 1/2` as 5/2; `2 5/2` is left alone, and not read. */
function improper(all: string, whole: string | undefined, top: string, bottom: string): string {
  if (whole && Number(top) >= Number(bottom)) return all
  return `${Number(whole ?? 0) * Number(bottom) + Number(top)}/${bottom}`
}

function sum(text: string, one: Temporal.Duration, amount: number, [, , iso, name]: Unit): Temporal.Duration {
  try {
    const written = amount.toFixed(9).replace(/\.0+$/, '')
    const read = Temporal.Duration.from(iso.slice(0, -1) + written + iso.at(-1))
    const other = iso === 'PTS' ? read.round({ largestUnit: name as 'hours' }) : read
    const fields = FIELDS.split(' ') as (keyof Temporal.DurationLike)[]
    return Temporal.Duration.from(Object.fromEntries(fields.map(field => [field, one[field] + other[field]])))
  } catch {
    throw new ToolError(`The duration "${text}" is too long.`)
  }
}
