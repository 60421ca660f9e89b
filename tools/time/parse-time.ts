import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { CLOCKS, type Clock, readClock } from './parse-clock.ts'
import { DATES, readDate, type WrittenDate } from './parse-date.ts'

/** A time as written, before any zone is applied. Either `instant`, or `date` or `clock` or both, is set. */
export interface WrittenTime {
  /** The moment, for Unix time, `now`, and a date-time with both an offset and a zone. */
  readonly instant?: Temporal.Instant
  readonly date?: WrittenDate | undefined
  readonly clock?: Clock | undefined
  /** The name of a zone beside the time; empty if there is none. */
  readonly zone: string
  /** Says what was assumed. */
  readonly note?: string
}

/** Longest text to read as a time or a duration. */
const LONGEST = 100

/** What to write. */
export const FORMS =
  'Write 2026-03-01T15:00, "March 1, 2026 3pm", "July 4", "Friday 15:00", "tomorrow noon", now or Unix 1700000000.'

const UNIX = /^(@|unix(?: time(?:stamp)?)? )?(-?)(\d{1,13})(?:\.(\d{1,9}))?$/
const cutting = (sources: readonly string[]) =>
  sources.map(source => new RegExp(String.raw`,? ?(?:\b(?:at|on) )?(?<![\w:.+/-])(?:${source})`))
const [DATE, CLOCK] = [cutting(DATES), cutting(CLOCKS)]

/**
 * Reads a date, a time of day, or both, with or without a zone, in any order.
 * @throws {ToolError} when the text holds neither; what is left beside them is taken for a zone
 */
export function parseTime(text: string, now: Temporal.Instant): WrittenTime {
  const whole = plainText(text, 'A time', FORMS)
  const unix = readUnix(whole)
  if (unix) return unix
  if (/^.*(?:z|[+-]\d\d:?\d\d)\[.*\]$/.test(whole)) return readBracketed(text, whole)
  const present = /^now\b/.exec(whole)
  if (present) return { instant: now, zone: bare(whole.slice(3)) }
  const [date, afterDate] = cut(whole, DATE, (_, parts) => readDate(parts))
  const [clock, rest] = cut(afterDate, CLOCK, readClock)
  if (!date && !clock) throw new ToolError(`Cannot read "${text}" as a time. ${FORMS}`)
  return { date, clock, zone: bare(rest) }
}

function cut<Value>(
  text: string,
  patterns: readonly RegExp[],
  read: (written: string, parts: Readonly<Record<string, string | undefined>>) => Value,
): [value: Value | undefined, rest: string] {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (!found) continue
    const [{ length }, { index }] = [found[0], found]
    return [read(found[0].trim(), found.groups!), `${text.slice(0, index)} ${text.slice(index + length)}`]
  }
  return [undefined, text]
}

/** Removes what joins a zone to a time. */
function bare(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/^[\s,]+|[\s,]+$/g, '')
    .replace(/^(?:in|at) /, '')
}

/** `@1700000000`, `1700000000.25`, `Unix 1700000000000`: without a mark, as many digits as present times have. */
function readUnix(text: string): WrittenTime | undefined {
  const [, mark, sign = '', whole = '', fraction = ''] = UNIX.exec(text) ?? []
  if (!whole || !(mark || whole.length === 10 || whole.length === 13)) return undefined
  const decimals = whole.length > 11 ? 3 : 0
  const instant = new Temporal.Instant(BigInt(sign + whole + fraction.padEnd(9, '0').slice(0, 9 - decimals)))
  return {
    instant,
    zone: '',
    note: `"${text}" is read as Unix time in ${decimals ? 'milliseconds' : 'seconds'}.`,
  }
}

/** `2026-03-01T15:00+01:00[Europe/Paris]`: the offset says which of two readings is meant. */
function readBracketed(text: string, whole: string): WrittenTime {
  try {
    const instant = Temporal.ZonedDateTime.from(whole, { offset: 'reject' }).toInstant()
    return { instant, zone: whole.slice(whole.indexOf('[')) }
  } catch {
    throw new ToolError(`In "${text}", date, offset and zone do not fit together: leave one of them out.`)
  }
}

/**
 * Converts to lower case, with plain spaces and hyphens.
 * @param what names the input in messages: `A time`
 * @throws {ToolError} when the text is empty or too long
 */
export function plainText(text: string, what: string, forms: string): string {
  if (text.length > LONGEST)
    throw new ToolError(`${what} of ${text.length} characters is too long (at most ${LONGEST}). ${forms}`)
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2212\u2013]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
  if (plain === '') throw new ToolError(`${what} is empty. ${forms}`)
  return plain
}
