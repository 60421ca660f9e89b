import { Temporal } from 'temporal-polyfill'
import { withDigits } from '../number-words.ts'
import { ToolError } from '../tool.ts'
import { plainText } from './take.ts'
import units from './units.json' with { type: 'json' }

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
/** Units by name, as `10 years`. */
const NAMES = new Map(Object.entries(units.names))
/** What a fraction of a unit is counted in: 1.5 years are 1 year and 6 months. */
const SMALLER = new Map(Object.entries(units.smaller))
const PART =
  /^(?:,? ?and |[, ]+)?(\d{1,12})(?:\.(\d{1,9}))?(?:\/([1-9]\d{0,8}))? ?(business days|[a-z]{1,12})\.?/

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
  const total: Record<string, number> = {}
  let unit = ''
  const digits = body
    .replace(new RegExp(`\\b${BUSINESS_DAYS}\\b`, 'g'), 'business days')
    .replace(/\ba couple(?: of)? /g, '2 ')
    .replace(/\ban? (?!\d)/g, '1 ')
    .replace(/(\d)( [a-z]+)? and 1 half\b/g, '$1.5$2')
    .replace(/\b(?:1 )?half (?:1 )?/g, '0.5 ')
    .replace(/(?<=\d),(?=\d{3})/g, '')
    .replace(/(?<![\d.])(?:(\d+)(?: and |[ -]))?(\d+)[/⁄]([1-9]\d*)(?:(?: of)? 1(?= [a-z]))?/g, improper)
    // As Python writes it: `1 day, 3:00:00`.
    .replace(/(?<![\d:])(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)$/, '$1 hours $2 minutes $3 seconds')
  for (let rest = digits; rest !== '' || body === ''; ) {
    const [all = '', whole = '', decimals = '', bottom = '1', name = ''] = PART.exec(rest) ?? []
    const [factor, field] = measure(NAMES.get(name))
    if (!field) {
      const signs = /[+-]/.test(rest) ? ' Write one sign, in front of the whole.' : ''
      throw new ToolError(`Cannot read "${rest.trim()}" in the duration "${text}".${signs} ${FORMS}`)
    }
    unit = field
    const over = 10n ** BigInt(decimals.length) * BigInt(bottom)
    let left = BigInt(whole + decimals) * factor
    for (let part = unit; ; ) {
      total[part] = (total[part] ?? 0) + Number(left / over)
      left %= over
      if (left === 0n) break
      const [count, smaller] = measure(SMALLER.get(part))
      if (part === 'nanoseconds')
        throw new ToolError(`"${all.trim()}" is not a whole number of ${part}: write it in smaller units.`)
      if (!smaller)
        throw new ToolError(`A fraction of ${part} has no fixed length ("${text}"): use smaller units.`)
      left *= count
      part = smaller
    }
    rest = rest.slice(all.length)
  }
  const { 'business days': businessDays, ...fields } = total
  if (businessDays !== undefined && Object.keys(fields).length > 0)
    throw new ToolError(`Business days do not combine with other units, as in "${text}".`)
  try {
    return { duration: Temporal.Duration.from({ days: 0, ...fields }), businessDays, unit }
  } catch {
    throw new ToolError(`The duration "${text}" is too long.`)
  }
}

/** `12 months`. */
function measure(text = ''): [count: bigint, unit: string] {
  const [, count = 0, unit = ''] = /^(\d+) (.+)$/.exec(text) ?? []
  return [BigInt(count), unit]
}

/** `2 1/2` as 5/2; `2 5/2` is left alone, and not read. */
function improper(all: string, whole: string | undefined, top: string, bottom: string): string {
  if (whole && Number(top) >= Number(bottom)) return all
  return `${Number(whole ?? 0) * Number(bottom) + Number(top)}/${bottom}`
}
