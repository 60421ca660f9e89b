import { LRUCache } from 'lru-cache'
import { Temporal } from 'temporal-polyfill'
import { withDigits } from '../../../tools/number-words.ts'
import { parseDuration } from '../../../tools/time/parse-duration.ts'
import { parseTime } from '../../../tools/time/parse-time.ts'
import { ToolError } from '../../../tools/tool.ts'
import { phraseTable } from './phrase.ts'
import { isPlace, readPlaces } from './places.ts'
import { TIME_PHRASES } from './time-phrases.ts'

type Arguments = Record<string, string | readonly string[]>

/** Units for which dates alone are too coarse. */
const FINE = /hour|hr|min|sec/i

/** Validates a slot's text with the time tool's parsers; `undefined` rejects it. */
const READERS = {
  place: (text: string) => (isPlace(text) ? text : undefined),
  places: readPlaces,
  moment: (text: string) => (/^(?:19|20|21)\d\d$/.test(text) ? `year ${text}` : readMoment(text) && text),
  /** Not `quarter past 9 tonight`. */
  date: (text: string) => (/ (?:past|to|before) /.test(text) ? undefined : READERS.nth(text)),
  nth: (text: string): string | undefined => (readMoment(text)?.hasDate ? text : undefined),
  /** A time of day with its place: `9am in Tokyo`. */
  zoned: (text: string) => {
    const words = text.replace(/ from /i, ' in ')
    const { hasClock, hasZone } = readMoment(words) ?? {}
    return hasClock && hasZone ? words : undefined
  },
  /** A month or year; the note of its last day says how long it is. */
  period: (text: string) => readMoment(`last day of ${text}`) && `last day of ${text}`,
  duration: (text: string) => {
    // "A quarter before 9pm" is not three months earlier.
    if (/^(?:an? )?quarter$/i.test(text)) return undefined
    const words = withDigits(text)
    return attempt(() => parseDuration(words)) && words
  },
}

const SLOTS = {
  // Singular only after "how many": "quarter to 9" is no count.
  unit: '(?:second|minute|hour|day|week|fortnight|month|quarter|year|decade|sec|min|hr|mo|yr)(?:s|(?<=(?:many|of|in) +\\w+))',
  workdays: '(?:business|working|work|week) ?days?',
  nth: '(?:first|second|third|fourth|fifth|last|[1-5][a-z]{2}) .+?',
  epoch: '\\d{9,19}',
  day: 'tomorrow|yesterday',
}
const RULES = phraseTable(TIME_PHRASES, SLOTS).map(({ source, code, slots }) => {
  // Slots may be ambiguous, so both the shortest and the longest reading are tried.
  const sources = slots.length > 1 ? [source, source.replaceAll('.+?', '.+')] : [source]
  return {
    patterns: sources.map(one => new RegExp(`^${one}$`, 'i')),
    readers: slots.map(slot => READERS[slot as keyof typeof READERS] ?? String),
    operation: code.split(' ')[0]!,
    members: [...code.matchAll(/(\w+)=([-@]?)(\$(\d)|\w+)/g)],
  }
})

/** Reads a question about times and dates; returns the arguments for the time tool. */
export function readTimeQuestion(text: string): Arguments | undefined {
  // Every time question contains a word, clock or date; this cheap test skips all others.
  if (!/[a-z:]|\d[-/.]\d+[-/.]\d/i.test(text)) return undefined
  for (const { patterns, readers, operation, members } of RULES) {
    for (const pattern of patterns) {
      const match = pattern.exec(text)?.slice(1)
      if (!match) break
      const values = match.map((words, at) => words && readers[at]!(words.replace(/,? *$/, '')))
      if (values.some((value, at) => match[at] && !value)) continue
      const args: Arguments = { operation }
      for (const [, member = '', sign = '', literal = '', slot] of members) {
        const value = slot ? values[Number(slot) - 1] : literal
        if (value) args[member] = sign ? `${sign}${value}` : value
      }
      return operation === 'difference' ? refined(args as Record<string, string>) : args
    }
  }
  return undefined
}

/** Adds midnights for units finer than a day, since the tool counts dates in days; 2030 may mean a clock there. */
function refined({ unit = '', time = '', end = '', ...args }: Record<string, string>) {
  const isFine = FINE.test(unit)
  if (isFine && /\byear /.test(`${time} ${end}`)) return undefined
  const refine = (words: string, other: string) => {
    if (words === 'present') return isFine || readMoment(other)?.hasClock ? 'now' : 'today'
    return isFine && other !== 'present' && !readMoment(words)?.hasClock ? `${words} 00:00` : words
  }
  return { ...args, time: refine(time, end), end: refine(end, time) }
}

/** Many rules try the same words. */
const moments = new LRUCache({ max: 200, memoMethod: (text: string) => ({ moment: momentIn(text) }) })
const readMoment = (text: string) => moments.memo(text)!.moment

/**
 * The parts of a written date or time of day. Excludes Unix time, which nobody means in "100 to 1700000000", and
 * offsets from now, which have their own phrases.
 */
function momentIn(text: string) {
  if (/^in | (?:ago|from now|from today)$/i.test(text)) return undefined
  const time = attempt(() => parseTime(text, Temporal.Now.instant()))
  if (time === 'wrong') return { hasDate: true, hasClock: true, hasZone: true }
  if (!time) return undefined
  const { instant, date, clock, zone } = time
  return { hasDate: !!(instant ?? date), hasClock: !!(instant ?? clock), hasZone: zone !== '' }
}

/** `wrong` marks a time that does not exist or is ambiguous; the tool then explains it. */
function attempt<Value>(read: () => Value): Value | 'wrong' | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return /^Cannot read|is empty|is too long/.test(error.message) ? undefined : 'wrong'
  }
}
