import { inMinutes } from '../../figures.ts'
import { parseJson } from '../../json.ts'

const NUMBERS = new Intl.NumberFormat('en')
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const DAY_OF_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

/** `12,345`; a dash if unknown. */
export function numberText(value: number | null | undefined): string {
  return typeof value === 'number' ? NUMBERS.format(value) : '–'
}

/** `4 ms`, `0.84 s`, `12.3 s`, `118 s`; a dash if unknown. */
export function duration(ms: number | null | undefined): string {
  if (typeof ms !== 'number') return '–'
  if (ms < 100 && ms > 0) return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`
  const seconds = ms / 1000
  if (Number.isInteger(seconds)) return `${seconds} s`
  return `${seconds.toFixed(seconds < 10 ? 2 : seconds < 100 ? 1 : 0)} s`
}

/** `45 s`, `2 min 5 s`: whole seconds. */
export function wholeSeconds(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `7 s`, `40 s`, `7 min`: rounded up, as exactly as a guess deserves. */
export function roughly(ms: number): string {
  const step = ms <= 10_000 ? 1000 : ms <= 95_000 ? 5000 : 60_000
  return inMinutes(Math.ceil(ms / step) * step)
}

/** `8.75 s`, `2 min 5 s`: how long something took that may take minutes. */
export function took(ms: number): string {
  return ms < 60_000 ? duration(ms) : wholeSeconds(ms)
}

/** `14:02:59` in the reader's time zone; adds the day unless it is today. */
export function moment(iso: string): string {
  const date = new Date(iso)
  return date.toDateString() === new Date().toDateString() ? CLOCK.format(date) : dated(iso)
}

/** `3 Mar, 14:02:59`; adds the year unless it is this one. */
export function dated(iso: string): string {
  const date = new Date(iso)
  return Number.isNaN(date.valueOf()) ? iso : `${day(date)}, ${CLOCK.format(date)}`
}

function day(date: Date): string {
  return (date.getFullYear() === new Date().getFullYear() ? DAY : DAY_OF_YEAR).format(date)
}

const DAY_MS = 86_400_000

/** Labels of a time axis with such steps: times, or days; below the first time of each day, the day. */
export function timeLabels(times: readonly number[], stepMs: number): string[] {
  return times.map((time, index) => {
    const date = new Date(time)
    if (stepMs >= DAY_MS) return day(date)
    const clock = CLOCK.format(date)
    const label = stepMs < 60_000 ? clock : clock.slice(0, -':59'.length)
    const before = times[index - 1]
    const isSameDay = before !== undefined && new Date(before).toDateString() === date.toDateString()
    return isSameDay ? label : `${label}\n${day(date)}`
  })
}

/** A time as `<input type="datetime-local">` has it; '' if it is none. */
export function localTime(iso: string): string {
  const date = new Date(iso)
  if (Number.isNaN(date.valueOf())) return ''
  return new Date(date.valueOf() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** How long ago: `12 s`, `3 min`, `2 h`, `4 d`. */
export function age(iso: string): string {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(iso)) / 1000))
  if (seconds < 90) return `${seconds} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

/** `1,234 → 36 tokens`: read, then written. */
export function tokens(input: number | null, output: number | null): string {
  return `${numberText(input)} → ${numberText(output)} tokens`
}

const UNITS = [
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** `10 minutes`, `2 hours`: whole seconds, in the longest unit that divides them. */
export function inUnits(ms: number): string {
  const [unit, unitMs] = UNITS.find(([, unitMs]) => ms % unitMs === 0)!
  return plural(ms / unitMs, unit)
}

/** `1 run`, `2 runs`. */
export function plural(number: number, noun: string): string {
  return `${numberText(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** JSON of more characters or levels stays as it came: with each level the indent of all lines within it grows. */
const [MAX_INDENTED, MAX_LEVELS] = [200_000, 20]

/** Indents JSON; leaves any other text alone. */
export function indented(text: string): string {
  const value = text.length > MAX_INDENTED ? undefined : parseJson(text, MAX_LEVELS)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}

/** Invisible characters that can alter the text: controls except tab and line feed, and direction overrides. */
const UNSEEN = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

/** Untrusted text with invisible characters spelled out: `\u202e` becomes `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .toWellFormed()
    .replace(UNSEEN, character => (character === '\n' || character === '\t' ? character : nameOf(character)))
}

function nameOf(character: string): string {
  return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`
}
