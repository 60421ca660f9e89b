import { LRUCache } from 'lru-cache'
import { withDigits } from '../../../tools/number-words.ts'
import { BUSINESS_DAYS, parseDuration } from '../../../tools/time/parse-duration.ts'
import { parseTime } from '../../../tools/time/parse-time.ts'
import { ToolError } from '../../../tools/tool.ts'
import { phraseTable } from './phrase.ts'
import { isPlace, readPlaces } from './places.ts'
import { TIME_PHRASES } from './time-phrases.ts'

/** Arguments for the time tool. */
type Arguments = Record<string, string | readonly string[]>

const UNIT = '(?:second|minute|hour|day|week|fortnight|month|quarter|year|decade|sec|min|hr|mo|yr)s?'
/** Units that days alone do not answer in. */
const FINE = /hour|hr|min|sec/i

/** What may stand in a slot, read by the time tool itself; `undefined` where it does not take it. */
const READERS = {
  place: (text: string) => (isPlace(text) ? text : undefined),
  places: readPlaces,
  moment: (text: string) => readMoment(text) && text,
  date: (text: string) => (readMoment(text)?.hasDate ? text : undefined),
  /** A time of day with its place: `9am in Tokyo`. */
  zoned: (text: string) => {
    const words = text.replace(/ from /i, ' in ')
    const { hasClock, hasZone } = readMoment(words) ?? {}
    return hasClock && hasZone ? words : undefined
  },
  duration: (text: string) => {
    const words = withDigits(text)
    return attempt(() => parseDuration(words)) && words
  },
  unit: (text: string) => text,
}

const RULES = phraseTable(TIME_PHRASES, { unit: UNIT, workdays: BUSINESS_DAYS }).map(
  ({ source, code, slots }) => {
    // Where a slot's end is open, the shortest and the longest reading are tried.
    const sources = slots.length > 1 ? [source, source.replaceAll('.+?', '.+')] : [source]
    return {
      patterns: sources.map(one => new RegExp(`^${one}$`, 'i')),
      readers: slots.map(slot => READERS[slot as keyof typeof READERS] ?? READERS.unit),
      operation: code.split(' ')[0]!,
      members: [...code.matchAll(/(\w+)=(-?)(\$(\d)|\w+)/g)],
    }
  },
)

/** Words, a clock or a date: without one of them nothing is asked about times, and much is spared. */
const HINT = /[a-z:]|\d[-/.]\d+[-/.]\d/i

/** Reads a question about times and dates: the arguments for the time tool. */
export function readTimeQuestion(text: string): Arguments | undefined {
  if (!HINT.test(text)) return undefined
  for (const { patterns, readers, operation, members } of RULES) {
    for (const pattern of patterns) {
      const match = pattern.exec(text)?.slice(1)
      if (!match) break
      const values = valuesOf(match, readers)
      if (!values) continue
      const args: Arguments = { operation }
      for (const [, member = '', sign = '', literal = '', slot] of members) {
        const value = slot ? values[Number(slot) - 1] : literal
        if (value) args[member] = sign ? `-${value}` : value
      }
      return operation === 'difference' ? refined(args as Record<string, string>) : args
    }
  }
  return undefined
}

/** What stands in the slots; `undefined` as soon as one does not take its text. */
function valuesOf(texts: readonly (string | undefined)[], readers: (typeof RULES)[number]['readers']) {
  const values = []
  for (const [at, text] of texts.entries()) {
    const value = text && readers[at]!(text.replace(/,? *$/, ''))
    if (text && !value) return undefined
    values.push(value)
  }
  return values
}

/** The tool counts dates in days, so finer units need midnights, and the present is today or now. */
function refined({ unit = '', start = '', end = '', ...args }: Record<string, string>): Arguments {
  const isFine = FINE.test(unit)
  const refine = (words: string, other: string) => {
    if (words === 'present') return isFine || readMoment(other)?.hasClock ? 'now' : 'today'
    return isFine && other !== 'present' && !readMoment(words)?.hasClock ? `${words} 00:00` : words
  }
  return { ...args, start: refine(start, end), end: refine(end, start) }
}

/**
 * What a date or time of day holds. Unix time is left out: nobody means it by "100 to 1700000000". Time from now has
 * phrases of its own.
 */
function readMoment(text: string) {
  return moments.memo(text)!.moment
}

/** Many rules ask for the same words. */
const moments = new LRUCache({ max: 200, memoMethod: (text: string) => ({ moment: momentIn(text) }) })

function momentIn(text: string) {
  if (/^in | (?:ago|from now|from today)$/i.test(text)) return undefined
  const time = attempt(() => parseTime(text))
  if (time === 'wrong') return { hasDate: true, hasClock: text.includes(':') }
  if (!time || time.epoch !== undefined) return undefined
  const { isNow = false, date, clock, zone } = time
  return { hasDate: isNow || !!date, hasClock: isNow || !!clock, hasZone: zone !== undefined }
}

/** `wrong`: a time as it is written, but one that does not exist or may be read two ways; the tool says which. */
function attempt<Value>(read: () => Value): Value | 'wrong' | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return /^Cannot read|is empty|is too long/.test(error.message) ? undefined : 'wrong'
  }
}
