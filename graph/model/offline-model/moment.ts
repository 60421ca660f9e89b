import { readPlace } from './places.ts'
import type { Found, Text } from './text.ts'

/** A date, a time of day, or both, in words that the time tool reads. */
export interface Moment {
  readonly words: string
  readonly hasDate: boolean
  readonly hasClock: boolean
}

const MONTH =
  '(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\\.?'
const WEEKDAY = '(?:(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday),? +)?'
const YEAR = '(?:,? +\\d{4}(?![\\d:]))?'
const DAY = '\\d{1,2}(?:st|nd|rd|th)?(?![\\d:])'
const DATE = new RegExp(
  `${WEEKDAY}(?:${[
    '\\d{4}-w\\d{2}(?:-[1-7])?',
    '\\d{4}([-/.])\\d{1,2}\\1\\d{1,2}(?!\\d)',
    '\\d{1,2}([-/.])\\d{1,2}\\2\\d{4}(?!\\d)',
    `${MONTH} +(?:the +)?${DAY}${YEAR}`,
    `(?:the +)?${DAY} +(?:of +)?${MONTH}${YEAR}`,
  ].join('|')})`,
  'y',
)
const RELATIVE =
  /(?:today|tonight|tomorrow|yesterday|(?:the )?day after tomorrow|(?:the )?day before yesterday)\b(?!')/y
/** Days of the year that have names; the tool reads them in this year unless a year follows. */
const NAMED = /(christmas eve|christmas(?: day)?|new year's eve|halloween|valentine's day)((?:,? +\d{4})?)\b/y
const NAMED_DAYS: ReadonlyMap<string, string> = new Map([
  ['christmas eve', '24 December'],
  ['christmas', '25 December'],
  ['christmas day', '25 December'],
  ["new year's eve", '31 December'],
  ['halloween', '31 October'],
  ["valentine's day", '14 February'],
])
const CLOCK =
  /(?:t(?=\d))?(?:\d{1,2}(?:[:.]\d{2})?(?::\d{2})? *(?:am|pm|a\.m\.?|p\.m\.?)(?![a-z])|\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?!\d)|\d{1,2}h\d{2}\b|(?:12 +)?(?:noon|midday|midnight)\b)(?:z\b|[+-]\d{2}:\d{2}\b)?/y
const NOW = /(?:right now|now|this moment)\b/y
const BETWEEN = /(?: *,)?(?: *(?:at|on)\b)?/y

/** Reads a moment: `2026-03-01 15:00`, `March 1, 2026`, `3:30 pm`, `tomorrow at noon`, `now`; the longest first. */
export function readMoment(text: Text, at: number): Found<Moment>[] {
  const now = text.match(NOW, at)
  if (now) return [{ end: now.index + now[0].length, value: { words: 'now', hasDate: true, hasClock: true } }]
  const start = text.literal('at', at) ?? text.literal('on', at) ?? at
  const first = readDate(text, start) ?? readClock(text, start)
  if (!first) return []
  const between = text.match(BETWEEN, first.end)
  const next = between ? between.index + between[0].length : first.end
  const second = first.value.hasDate ? readClock(text, next) : readDate(text, next)
  if (!second) return [first]
  const words = `${first.value.words} ${second.value.words}`
  return [{ end: second.end, value: { words, hasDate: true, hasClock: true } }, first]
}

function readDate(text: Text, at: number): Found<Moment> | undefined {
  const named = text.match(NAMED, at)
  const date = named ?? text.match(RELATIVE, at) ?? text.match(DATE, at)
  if (!date) return undefined
  const end = date.index + date[0].length
  const words = named
    ? NAMED_DAYS.get(named[1]!)! + named[2]!.replace(',', '')
    : text.typed.slice(date.index, end)
  return { end, value: { words, hasDate: true, hasClock: false } }
}

function readClock(text: Text, at: number): Found<Moment> | undefined {
  const clock = text.match(CLOCK, at)
  if (!clock) return undefined
  const end = clock.index + clock[0].length
  const words = text.typed.slice(clock.index, end).replace(/^t/i, '')
  return { end, value: { words, hasDate: false, hasClock: true } }
}

/** Reads a moment with the place whose clock it is on, if one is named: `9am in Tokyo`, `15:00 UTC`. */
export function readInstant(text: Text, at: number): Found<Moment>[] {
  return readMoment(text, at).flatMap((moment): Found<Moment>[] => {
    if (!moment.value.hasClock) return [moment]
    const start = text.literal('in', moment.end) ?? moment.end
    const placed = readPlace(text, start).map(place => {
      const end = text.literal('time', place.end) ?? place.end
      return { end, value: { ...moment.value, words: `${moment.value.words} ${place.value}` } }
    })
    return [...placed, moment]
  })
}
