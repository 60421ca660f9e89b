import { ToolError } from '@agent-task-service/engine/tool'
import { Temporal } from 'temporal-polyfill'
import { DATES, type WrittenDate } from './parse-date.ts'

/** A time as written, before any zone is applied. Either `instant`, or `date` or `clock` or both, is set. */
export interface WrittenTime {
  /** The moment, for Unix time and `now`. */
  readonly instant?: Temporal.Instant
  readonly date?: WrittenDate | undefined
  readonly clock?: Clock | undefined
  /** What stands beside date and time of day, in one piece or several: together the name of a zone. */
  readonly rest: readonly string[]
  /** Says what was assumed. */
  readonly note?: string
}

interface Clock {
  readonly time: Temporal.PlainTime
  /** Whether it is "midnight" or 12 am, which people use for either end of a day. */
  readonly isMidnight: boolean
}

/** Longest text to read as a time or a duration. */
export const LONGEST = 100
/** What to write. */
export const TIME_FORMS =
  'Write 2026-03-01T15:00, "March 1, 2026 3pm", "Friday 15:00 Asia/Tokyo", "tomorrow noon", now or Unix 1700000000.'
const UNIX = /^(@|unix )?(-?\d{1,13})$/

/** Pattern sources of a time of day in lower case: `noon`, `3:30 pm`, `15:00:07.25`, `t1500`. */
const CLOCKS = [
  '(?:12 )?(?<word>noon|midday|midnight)(?![a-z])',
  String.raw`t?(?<hour>\d{1,2})(?:[:.](?<minute>\d\d))?(?::(?<second>\d\d))? ?(?<half>[ap])(?:m|\.m\.)(?![a-z])`,
  String.raw`t?(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?![\d:.])`,
  String.raw`t(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)?(?![\d:.])`,
]

const cutting = (sources: readonly string[]) =>
  sources.map(source => new RegExp(String.raw`,? ?(?:\b(?:at|on) )?(?<![\w:.+/-])(?:${source})`))
const [DATE, CLOCK] = [cutting(DATES), cutting(CLOCKS)]

/**
 * Reads a date, a time of day, or both, with or without a zone, in any order.
 * @throws {ToolError} when the text holds neither; what is left beside them is taken for a zone
 */
export function parseTime(text: string, now: Temporal.Instant): WrittenTime {
  const whole = normalizedText(text, 'A time', TIME_FORMS)
  const unix = readUnix(whole)
  if (unix) return unix
  if (/^now\b/.test(whole)) return { instant: now, rest: piecesOf(whole.slice(3)) }
  const [date, afterDate] = cut(whole, DATE)
  const [clock, rest] = cut(afterDate, CLOCK)
  if (!date && !clock) throw unread([whole], TIME_FORMS)
  return {
    date: date?.groups,
    clock: clock && readClock(clock[0].trim(), clock.groups!),
    rest: piecesOf(rest),
  }
}

/** Takes out what the first pattern that fits finds. */
function cut(text: string, patterns: readonly RegExp[]): [found: RegExpExecArray | undefined, rest: string] {
  for (const pattern of patterns) {
    const found = pattern.exec(text)
    if (!found) continue
    const end = found.index + found[0].length
    return [found, `${text.slice(0, found.index)}\n${text.slice(end)}`]
  }
  return [undefined, text]
}

/** What stands between the cuts, each of which left a line break, without what joins it to them. */
export function piecesOf(text: string): string[] {
  return text.split('\n').flatMap(piece => /^[ ,]*(?:(?:in|at) )?(.*?)[ ,]*$/.exec(piece)![1] || [])
}

/** A refusal that names what was not understood, and what to write. */
export function unread(parts: readonly string[], forms: string): ToolError {
  return new ToolError(`Cannot read ${parts.map(part => `"${part}"`).join(' and ')}. ${forms}`)
}

/** `@1700000000`, `1700000000`, `Unix 1700000000000`: without a mark, as many digits as present times have. */
function readUnix(text: string): WrittenTime | undefined {
  const [, mark, digits = ''] = UNIX.exec(text) ?? []
  if (!digits || !(mark || digits.length === 10 || digits.length === 13)) return undefined
  const isMilliseconds = digits.length > 11
  return {
    instant: Temporal.Instant.fromEpochMilliseconds(Number(digits) * (isMilliseconds ? 1 : 1000)),
    rest: [],
    note: `"${text}" is read as Unix time in ${isMilliseconds ? 'milliseconds' : 'seconds'}.`,
  }
}

type WrittenClock = Readonly<
  Partial<Record<'word' | 'hour' | 'minute' | 'second' | 'fraction' | 'half', string>>
>

/** @throws {ToolError} when no clock shows such a time */
function readClock(written: string, parts: WrittenClock): Clock {
  const { word, hour = '0', minute = '0', second = '0', fraction = '', half } = parts
  if (word)
    return { time: new Temporal.PlainTime(word === 'midnight' ? 0 : 12), isMidnight: word === 'midnight' }
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)]
  const isHour = half ? hours >= 1 && hours <= 12 : hours <= 23
  if (!isHour || minutes > 59 || seconds > 59) {
    const range = half ? 'with am or pm, hours run from 1 to 12' : 'hours run from 00 to 23'
    throw new ToolError(`"${written}" is not a time of day: ${range}, minutes and seconds from 00 to 59.`)
  }
  const shown = half ? (hours % 12) + (half === 'p' ? 12 : 0) : hours
  const nanoseconds = Number(fraction.padEnd(9, '0'))
  const time = new Temporal.PlainTime(shown, minutes, seconds).add({ nanoseconds })
  return { time, isMidnight: half === 'a' && time.equals(new Temporal.PlainTime()) }
}

/**
 * Converts to lower case, with plain spaces and hyphens.
 * @param what names the input in messages: `A time`
 * @throws {ToolError} when the text is empty or too long
 */
export function normalizedText(text: string, what: string, forms: string): string {
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
