import { ToolError } from '../tool.ts'
import { findZone } from './find-zone.ts'
import { type Clock, takeClock } from './parse-clock.ts'
import { takeDate, type WrittenDate } from './parse-date.ts'
import { nearNames } from './read-zone.ts'

/** A moment as written, before any zone is applied. */
export interface WrittenTime {
  /** The text, for messages. */
  readonly text: string
  /** `now`. */
  now?: true
  /** Unix time in milliseconds. */
  unix?: number
  date?: WrittenDate
  clock?: Clock
  /** An offset or zone written after the time. */
  zone?: string
  /** A zone in square brackets after an offset; the two must agree. */
  bracket?: string
}

/** Longest text that is read as a time. */
export const LONGEST_TIME = 100

const FORMS = 'Write 2026-03-01T15:00, "2026-03-01 3pm", "March 1, 2026", 15:00, today, tomorrow noon or now.'

/**
 * Reads a moment: a date, a time of day, or both in either order, and then perhaps an offset or a zone.
 * @throws {ToolError} when the text is none of these.
 */
export function parseTime(text: string): WrittenTime {
  if (text.length > LONGEST_TIME) {
    throw new ToolError(`A time of ${text.length} characters is too long (at most ${LONGEST_TIME}). ${FORMS}`)
  }
  const whole = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2212\u2013]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
  if (whole === '') throw new ToolError(`A time is empty. ${FORMS}`)
  const unix = parseUnix(whole)
  if (unix !== undefined) return { text, unix }
  const now = /^(?:right )?now(?![a-z])/.exec(whole)
  if (now) return withZone({ text, now: true }, whole.slice(now[0].length))
  const written: WrittenTime = { text }
  let rest = whole
  for (;;) {
    rest = rest.replace(/^(?:\s|,|;|at (?=.)|on (?=.))+/, '')
    const date = written.date ? undefined : takeDate(rest)
    if (date) {
      written.date = date.value
      rest = date.rest
      continue
    }
    const clock = written.clock ? undefined : takeClock(rest)
    if (!clock) break
    written.clock = clock.value
    rest = clock.rest
  }
  if (written.clock && !written.date) rest = takeLastDate(written, rest)
  if (!written.date && !written.clock) throw new ToolError(`Cannot read "${text}" as a time. ${FORMS}`)
  return withZone(written, rest)
}

/** Takes a date that stands behind the zone, as in `9am PST tomorrow`, and returns what is before it. */
function takeLastDate(written: WrittenTime, rest: string): string {
  const words = rest.split(' ')
  for (let cut = 1; cut < words.length; cut += 1) {
    const date = takeDate(words.slice(cut).join(' '))
    if (date?.rest !== '') continue
    written.date = date.value
    return words
      .slice(0, cut)
      .join(' ')
      .replace(/,? on$|,$/, '')
  }
  return rest
}

/** `@1700000000` or a bare number of ten digits counts seconds since 1970, one of thirteen milliseconds. */
function parseUnix(text: string): number | undefined {
  const marked = /^(?:@|unix(?: time)?|epoch) ?(-?\d{1,12})$/.exec(text)
  if (marked) return Number(marked[1]) * 1000
  if (/^\d{10}$/.test(text)) return Number(text) * 1000
  return /^\d{13}$/.test(text) ? Number(text) : undefined
}

/** Reads what is left after the time: an offset, `[Zone]`, both, or a name. */
function withZone(written: WrittenTime, left: string): WrittenTime {
  const rest = left.replace(/^[\s,]+/, '')
  if (rest === '') return written
  const parts = /^([^[(]*)(?:\[([^\][]*)\]|\(([^()]*)\))?$/.exec(rest)
  const [, before = '', square, round] = parts ?? []
  const offset = before.trim()
  const bracket = (square ?? round)?.trim()
  if (!parts || (offset === '' && !bracket)) throw unreadable(written.text, rest)
  if (offset === '') return { ...written, zone: known(written.text, bracket!) }
  const zone = known(written.text, offset)
  // What a browser puts in round brackets is a remark: "GMT+0900 (Japan Standard Time)".
  return square === undefined
    ? { ...written, zone }
    : { ...written, zone, bracket: known(written.text, square) }
}

function known(text: string, zone: string): string {
  if (!findZone(zone)) throw unreadable(text, zone)
  return zone
}

function unreadable(text: string, part: string): ToolError {
  const near = nearNames(part)
  const hint = near.length > 0 ? ` Zones near it: ${near.join(', ')}.` : ''
  return new ToolError(
    `Cannot read "${part}" in "${text}": it is neither a date (2026-03-01), a time of day (15:00, 3:30 pm) nor a known zone.${hint}`,
  )
}
