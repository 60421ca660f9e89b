import { parseDuration } from '../../../tools/time/parse-duration.ts'
import { parseTime } from '../../../tools/time/parse-time.ts'
import { ToolError } from '../../../tools/tool.ts'
import { withDigits } from './number-words.ts'
import { phrase } from './phrase.ts'
import { isPlace, readPlaces } from './places.ts'

/** Arguments for the time tool. */
export type TimeArguments = Readonly<Record<string, string | readonly string[]>>
type Rule = readonly [notation: string, ask: (...values: never[]) => TimeArguments | undefined]

/** A time that the tool reads, and what it holds. */
interface Moment {
  readonly words: string
  readonly hasDate: boolean
  readonly hasClock: boolean
}

const UNIT = '(?:second|minute|hour|day|week|fortnight|month|quarter|year|decade|sec|min|hr|mo|yr)s?'
/** Units that days alone do not answer in. */
const FINE = /hour|hr|min|sec/i

/** What may stand in a slot, read by the time tool itself; `undefined` where it does not take it. */
const READERS = {
  place: (text: string) => (isPlace(text) ? text : undefined),
  places: readPlaces,
  moment: readMoment,
  /** A time of day with its place: `9am in Tokyo`. */
  zoned: (text: string) => {
    const words = text.replace(/ from /i, ' in ')
    const time = attempt(() => parseTime(words))
    return time && time !== 'wrong' && time.clock && time.zone ? words : undefined
  },
  duration: (text: string) => {
    const words = withDigits(text)
    return attempt(() => parseDuration(words)) && words
  },
  unit: (text: string) => text,
}

const KIND = '(date and time|time and date|day and time|day and date|date|time|day|times|hour)'
const AT_NOW = '[right now|now|today|currently|at the moment|at present]'
/** The second after "tell me what". */
const IS_IT = `(what|which) ${KIND} is it|${KIND} it is`
const EXACT = '(current|local|exact|present) [local]'
const WHAT_TIME = 'what [is the] time [is it|will it be|would it be]'
const WHEN =
  '[(what|which|when|the) [is the|was the|will be the] [date|day|time|day of the week] [it is|is it|is|was it|was|will it be|will be|would be|falls] [in]]'
const DAY_OR_WEEK = '(day of the week|day of week|weekday|[iso] (week number|week))'
const COUNT = '[how many|[the] (number of|difference in)] {unit}'

const RULES: readonly Rule[] = [
  [`(${IS_IT}|what (year|month) is it|[the] ${EXACT} ${KIND} [is it]|the ${KIND} [is it|is]) ${AT_NOW}`, now],
  [`(${IS_IT}|[the] [${EXACT}] ${KIND} [is it|is]) ${AT_NOW} (in|at|for) {places} ${AT_NOW}`, now],
  ["(today's (date|day)|(what|which) (day|date) is [it] today) [in {places}]", now],
  ['what is today', now],
  [
    '[the] time difference between {place} and {place}',
    (start: string, end: string) => ({ operation: 'difference', start, end }),
  ],
  [
    `${WHAT_TIME} in {places} ((when|if) (it is|it's)|at) {zoned} [time]`,
    (to: readonly string[], time: string) => convert(time, to),
  ],
  [`(when|if) (it is|it's) {zoned} [time] [,] [then] ${WHAT_TIME} in {places}`, convert],
  ['[what time is|what is] {zoned} [time] (to|in|into) {places} [time]', convert],
  ['{zoned} [time] (is|=) what time in {places}', convert],
  ...['between {moment} and {moment}', 'from {moment} (to|until|till) {moment}'].map((span): Rule => {
    const ask = `${COUNT}|how long|how much time|[the] [time] difference|[the] time`
    return [`(${ask}) [is it|are there|is there|are|is|lie|passed|elapsed] ${span}`, difference]
  }),
  [
    `(${COUNT}|how long|how much time) [are there|is there|is it|are left|is left|left|remain|remains|to go|do we have] (until|till|to|before) {moment}`,
    until,
  ],
  [`(${COUNT}|how long) ([is it|has it been|have passed|have gone by|passed] since|ago was) {moment}`, since],
  [`${WHEN} {duration} (after|from|past) {moment}`, add],
  [`${WHEN} {duration} (before|prior to) {moment}`, subtract],
  [`${WHEN} {duration} ago`, subtract],
  [
    'what [will the] (time|date|day) (is it|will it be|is|would it be|be) in {duration} [in {place}]',
    (duration: string, place?: string) => inPlace(place, duration),
  ],
  ['what (time|date|day) (is it|will it be|would it be) in {place} in {duration}', inPlace],
  ['add {duration} to {moment}', add],
  ['subtract {duration} from {moment}', subtract],
  ['{moment} (plus|+) {duration}', (time: Moment, duration: string) => add(duration, time)],
  ['{moment} (minus|-) {duration}', (time: Moment, duration: string) => subtract(duration, time)],
  [
    `[on] (what|which) (${DAY_OR_WEEK}|day) (is|was|will|does|did|would) [it] [be] [on|in] {moment} [fall|land|be] [on|in]`,
    weekday,
  ],
  [`[the] ${DAY_OR_WEEK} (of|on|for|is) {moment}`, weekday],
  [
    '((what|which) [iso] (week number|week) is it|[the] current [iso] (week number|week))',
    () => dayOf('today'),
  ],
  ["(tomorrow's (date|day)|the (date|day) tomorrow)", () => dayOf('tomorrow')],
  ["(yesterday's (date|day)|the (date|day) yesterday)", () => dayOf('yesterday')],
]

const COMPILED = RULES.map(([notation, ask]) => {
  const readers = [...notation.matchAll(/\{(\w+)\}/g)].map(
    ([, slot]) => READERS[slot as keyof typeof READERS],
  )
  const source = phrase(notation, { unit: UNIT })
  // Where a slot's end is open, the shortest and the longest reading are tried.
  const sources = readers.length > 1 ? [source, source.replaceAll('.+?', '.+')] : [source]
  return { patterns: sources.map(one => new RegExp(`^${one}$`, 'i')), readers, ask }
})

/** Reads a question about times and dates: the arguments for the time tool. */
export function readTimeQuestion(text: string): TimeArguments | undefined {
  for (const { patterns, readers, ask } of COMPILED) {
    for (const pattern of patterns) {
      const match = pattern.exec(text)
      const values =
        match && readers.map((read, at) => match[at + 1] && read(match[at + 1]!.replace(/,? *$/, '')))
      if (!match || values?.some((value, at) => match[at + 1] && !value)) continue
      const args = ask(...(values as never[]))
      if (args) return args
    }
  }
  return undefined
}

/** A date or time of day. Unix time is left out: nobody means it by "100 to 1700000000". */
function readMoment(words: string): Moment | undefined {
  const time = attempt(() => parseTime(words))
  if (time === 'wrong') return { words, hasDate: true, hasClock: words.includes(':') }
  if (!time || time.epoch !== undefined) return undefined
  const { isNow = false, date, clock } = time
  return { words, hasDate: isNow || date !== undefined, hasClock: isNow || clock !== undefined }
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

/** Without zones the tool tells UTC, and says so. */
function now(zones?: readonly string[]): TimeArguments {
  return zones ? { operation: 'now', zones } : { operation: 'now' }
}

function convert(time: string, to_zones: readonly string[]): TimeArguments {
  return { operation: 'convert', time, to_zones }
}

/** `unit`: what was asked for; the tool counts dates in days, so finer units need midnights. */
function difference(unit: string | undefined, start: Moment, end: Moment): TimeArguments {
  const [from = '', to = ''] = [start, end].map(({ words, hasClock }) =>
    FINE.test(unit ?? '') && !hasClock ? `${words} 00:00` : words,
  )
  return { operation: 'difference', start: from, end: to }
}

function until(unit: string | undefined, end: Moment): TimeArguments {
  return { operation: 'difference', start: present(unit, end), end: end.words }
}

function since(unit: string | undefined, start: Moment): TimeArguments {
  return { operation: 'difference', start: start.words, end: present(unit, start) }
}

function present(unit = '', { hasClock }: Moment): string {
  return hasClock || FINE.test(unit) ? 'now' : 'today'
}

function add(duration: string, time?: Moment): TimeArguments {
  return { operation: 'add', time: time?.words ?? 'now', duration }
}

function subtract(duration: string, time?: Moment): TimeArguments {
  return add(`-${duration}`, time)
}

function inPlace(place: string | undefined, duration: string): TimeArguments {
  return place === undefined ? add(duration) : { ...add(duration), from_zone: place }
}

function weekday({ words, hasDate }: Moment): TimeArguments | undefined {
  return hasDate ? dayOf(words) : undefined
}

function dayOf(time: string): TimeArguments {
  return { operation: 'weekday', time }
}
