import { LRUCache } from 'lru-cache'
import { answerTime, type TimeArguments } from '../../../tools/time.ts'
import { ToolError } from '../../../tools/tool.ts'
import { withDigits } from './number-words.ts'
import { fill, phraseTable } from './phrase.ts'

const KIND = '(date and time|time and date|day and time|day and date|date|time|day)'
const NOW = '[right now|now|today|currently|at the moment]'
const IS_IT = `((the [current] [local]|current|local) ${KIND} [is it|is]|[what|which] ${KIND} (is it|it is)|what (year|month) is it)`
const WHEN =
  '[(what|which|when|the) [is|was|will be|the] [the] [date|day|time|day of the week] [is it|is|was it|was|will it be|will be|it is]]'
const SPAN =
  '([how many|the number of] {unit} [are there|are|is it]|how long [is it|is]|how much time [is there]|[the] [time] difference)'
const LEFT = '[are there|is it|are left|left|remain|to go|are]'

/** Questions about times and dates, with the arguments for the time tool; an empty slot is left out. */
const PHRASES = `
  ${NOW} ${IS_IT} ${NOW} => now
  (${IS_IT}|${KIND}) ${NOW} (in|at|for) {places} ${NOW} => now to_zones=$1
  (today's (date|day)|(what|which) (day|date) is [it] today|today) => now
  [the] (time difference|time zone difference|difference in time|difference in hours|hour difference|how many hours [are there]) between {places} => now to_zones=$1
  what time [is it|will it be] in {places} (when|if) (it is|it's) {moment} (in|at) {place} => convert time=$2 zone=$3 to_zones=$1
  (when|if) (it is|it's) {moment} in {place} [,] [then] what [is the] time [is it|will it be] in {places} => convert time=$1 zone=$2 to_zones=$3
  (what time is|what is|when is|convert) {moment} [in|from] {place} [time] (to|in|into) {places} [time] => convert time=$1 zone=$2 to_zones=$3
  [on] (what|which) (day of the week|weekday|day) (is|was|will|does|did) {moment} [be|fall] [on] => convert time=$1
  (when|(what|which) date) (is|was|will be) {moment} => convert time=$1
  ({day}'s (date|day)|[the] (date|day) [is] {day}) => convert time=$1$2
  ${SPAN} between {moment} and {moment} => difference time=$2 end=$3
  ${SPAN} from {moment} (to|until|till) {moment} => difference time=$2 end=$3
  (how many {unit}|how long|{unit}) ${LEFT} (until|till|to|before) {moment} => difference time=present end=$3
  (how many {unit}|how long) [is it|has it been|have passed] since {moment} => difference time=$2 end=present
  how (long|many {unit}) ago was {moment} => difference time=$2 end=present
  ${WHEN} {duration} (after|from) {moment} => add time=$2 duration=$1
  ${WHEN} {duration} before {moment} => add time=$2 duration=-$1
  ${WHEN} {duration} ago => add time=present duration=-$1
  (${IS_IT}|what (time|date|day) will it be|what will the (date|time|day) be|[the] (date|day|time)) in {duration} => add time=present duration=$1
  add {duration} to {moment} => add time=$2 duration=$1
  {moment} (plus|+) {duration} => add time=$1 duration=$2
  {moment} (minus|-) {duration} => add time=$1 duration=-$2`

const MONTH = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*'
const WEEKDAY = '(?:mon|tues?|wednes|thurs?|fri|satur|sun)day'
const PLACE = String.raw`(?<![\wÀ-ɏ])[a-zÀ-ɏ].*?`
const UNIT = '(?:second|minute|hour|day|business day|working day|weekday|week|month|year)s?'
/** Asks for more than a day. */
const FINE = /hour|minute|second|time|how long|\d:\d|\d ?[ap]m|noon|midnight/i
const WRITTEN = new RegExp(String.raw`^(?:\d{4}-\d\d?-\d\d?|\d\d?:\d\d|\d\d? ${MONTH}(?: \d{4})?)$`, 'i')
const SLOTS = {
  unit: UNIT,
  day: 'tomorrow|yesterday',
  place: PLACE,
  places: PLACE,
  duration: String.raw`(?:-?\d[\d.]*|an?) ${UNIT}(?:,? (?:and )?(?:\d[\d.]*|an?) ${UNIT})*`,
  // Holds a digit or a word for a day or an hour; the time tool knows the rest.
  moment: String.raw`(?=.*(?:\d|\b(?:now|today|tomorrow|yesterday|noon|midnight|${WEEKDAY}|${MONTH})\b)).+?`,
}
const RULES = phraseTable(PHRASES, SLOTS).map(({ source, code }) => ({
  pattern: new RegExp(`^${source}$`, 'i'),
  operation: code.split(' ')[0] as TimeArguments['operation'],
  members: [...code.matchAll(/(\w+)=(.+?)(?= \w+=|$)/g)],
}))

/** Reads a question about times and dates; returns arguments that the time tool can answer, or refuses for its date alone. */
export async function readTimeQuestion(typed: string): Promise<TimeArguments | undefined> {
  const text = withDigits(typed)
  for (const { pattern, operation, members } of RULES) {
    const slots = pattern.exec(text)?.slice(1)
    if (!slots) continue
    const args: Record<string, unknown> = { operation }
    const present = FINE.test(text) ? 'now' : 'today'
    for (const [, member = '', code = ''] of members) {
      const value = fill(
        code,
        slots.map(slot => slot?.replace(/,? *$/, '')),
      )
      if (value)
        args[member] = member === 'to_zones' ? await readPlaces(value) : value.replace('present', present)
    }
    if ('to_zones' in args && !args.to_zones) continue
    const reading = args as unknown as TimeArguments
    // What is written as a date or a clock but is none (30 February) is for the tool to explain.
    if ((await isAnswered(reading)) || WRITTEN.test(`${reading.end ?? reading.time}`)) return reading
  }
  return undefined
}

/** Reads one or more places: `Tokyo`, `Tokyo, London and New York`, `Trinidad and Tobago`. */
async function readPlaces(text: string): Promise<readonly string[] | undefined> {
  const name = text.replace(/^both /i, '').trim()
  if (await isPlace(name)) return [name]
  const joints = [...name.matchAll(/,? (?:and|&) (?:in )?|, ?/gi)]
  if (joints.length > MOST_PLACES) return undefined
  for (const joint of joints.reverse()) {
    const head = name.slice(0, joint.index)
    const rest = (await isPlace(head)) && (await readPlaces(name.slice(joint.index + joint[0].length)))
    if (rest) return [head, ...rest]
  }
  return undefined
}

const [MOST_PLACES, LONGEST_PLACE] = [12, 60]
/** Whether these are places: each reading of a list asks for the same names again. */
const places = new LRUCache<string, boolean>({
  max: 200,
  fetchMethod: name => isAnswered({ operation: 'now', to_zones: [name] }),
})

async function isPlace(name: string): Promise<boolean> {
  return name.length <= LONGEST_PLACE && (await places.fetch(name)) === true
}

async function isAnswered(args: TimeArguments): Promise<boolean> {
  try {
    await answerTime(args)
    return true
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}
