import { Temporal } from 'temporal-polyfill'
import { withDigits } from '../number-words.ts'
import { ToolError } from '../tool.ts'
import { type Form, type Taken, take } from './take.ts'

/** A time of day as written. `carry` is 1 for 24:00, the end of the day. */
export interface Clock {
  readonly time: Temporal.PlainTime
  readonly carry: 0 | 1
}

/** From the first hour, before the last; half past midnight still belongs to the night. */
const HOURS = { morning: [0, 12], afternoon: [12, 18], evening: [16, 24], night: [17, 25] } as const

export type PartOfDay = keyof typeof HOURS

/** Excludes feasts such as Burns Night. */
const PART =
  /(?<!\b(?:burns|walpurgis|fawkes|bonfire) )\b(?:(this|last|(?:in|on) the|at|the) )?(morning|afternoon|evening|night)\b(?: of(?= ))?|\btonight\b/

/** Cuts the part of the day out of lower-case text: `tonight at 8` leaves `today at 8`. */
export function cutPartOfDay(text: string): { readonly rest: string; readonly part?: PartOfDay } {
  const [all, which, name = 'night'] = PART.exec(text) ?? []
  if (all === undefined) return { rest: text }
  const day = which === 'last' ? 'yesterday' : which === 'this' || all === 'tonight' ? 'today' : ''
  return { rest: text.replace(all, day).trim(), part: name as PartOfDay }
}

/** `half`: it may be in either half of the day, and without a part of the day is in the first one or `unknown`. */
type Read = Clock & { readonly half?: 'first' | 'unknown' }

const AM_PM = String.raw`\s*([ap])\.?m\.?(?![a-z])`
const COUNT = String.raw`(\d{1,2}|[a-z]+(?:[ -][a-z]+)?)`
const FORMS: readonly Form<Read>[] = [
  [/^(?:12(?::00)? ?)?(?:noon|midday|(midnight))(?![a-z])/, ([, midnight]) => clock(midnight ? 0 : 12)],
  [
    new RegExp(String.raw`^(\d{1,2})(?:[:.](\d{2}))?(?:[:.](\d{2}))?(?: o'?clock)?${AM_PM}`),
    found => halfDay(...found),
  ],
  [/^t(\d{2})(\d{2})(\d{2})?(?!\d)/, ([, ...parts]) => clock(...parts)],
  [
    /^t?(\d{1,2})[:.](\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?!\d)/,
    ([, ...parts]) => either('first', clock(...parts)),
  ],
  [/^(\d{2})(\d{2})(?: ?h(?:ou)?rs?|(?= ?z(?:ulu)?\b))(?![a-z]{2})/, ([, ...parts]) => clock(...parts)],
  [/^t?(\d{1,2})h(\d{2})?(?![a-z\d])/, ([, ...parts]) => clock(...parts)],
  [
    new RegExp(
      String.raw`^(?:a )?${COUNT}(?: minutes?)? (past|after|to|till|before) (\d{1,2}|[a-z]+)(?: o'?clock)?(?:${AM_PM}|(?![\w:]))`,
    ),
    spoken,
  ],
  [/^(\d{1,2}|[a-z]+) o'?clock/, wholeHour],
]

/** Read only beside a part of the day, or after "at". */
const BARE: Form<Read> = [/^(\d{1,2})(?![\w:.])/, wholeHour]

/**
 * Reads a time of day at the start of lower-case text: `15:00`, `3:30 pm`, `noon`, `T1500`, `15h30`, `half past 3 pm`.
 * 8:30 in the evening is 20:30, and 12 at night is the end of the day.
 * @param isBare whether an hour alone is read too
 * @throws {ToolError} when no clock shows such a time, it does not fit the part, or may be in either half of the day
 */
export function takeClock(
  text: string,
  part: PartOfDay | undefined,
  isBare: boolean,
): Taken<Clock> | undefined {
  const found = take(text, isBare ? [...FORMS, BARE] : FORMS)
  if (!found || (!part && found.value.half !== 'unknown')) return found
  const { time, carry, half } = found.value
  const hours = half ? [time.hour % 12, (time.hour % 12) + 12] : [time.hour + carry * 24]
  const [from, before] = part ? HOURS[part] : [24, 24]
  const hour = [...hours, hours[0]! + 24].find(each => each >= from && each < before)
  if (hour !== undefined)
    return { ...found, value: { time: time.with({ hour: hour % 24 }), carry: hour < 24 ? 0 : 1 } }
  const written = text.slice(0, text.length - found.rest.length)
  const times = hours.map(each => `${each % 24}`.padStart(2, '0') + `${time}`.slice(2, 5)).join(' or ')
  if (!part) throw new ToolError(`"${written}" may be ${times}: write one of them.`)
  throw new ToolError(`"${written}" does not go with "${part}": write the day and ${times}.`)
}

function halfDay(...[all, hour, minute, second, half]: readonly (string | undefined)[]): Read {
  const named = Number(hour)
  if (named >= 1 && named <= 12) return clock((named % 12) + (half === 'a' ? 0 : 12), minute, second)
  throw new ToolError(`"${all}" is not a time: with am or pm, hours run from 1 to 12 (3:30 pm, or 15:30).`)
}

/** `half past eight`, `ten to 9 pm`, `quarter to midnight`. */
function spoken([, count = '', word, of = '', half]: RegExpExecArray): Read | undefined {
  const named = { noon: 12, midday: 12, midnight: 0 }[of]
  const minutes = { half: 30, quarter: 15 }[count] ?? Number(withDigits(count))
  const hour = named ?? Number(withDigits(of))
  if (!(minutes > 0 && minutes < 60 && hour >= 0 && hour < 24)) return undefined
  const { time } = half ? halfDay(`${hour} ${half}m`, `${hour}`, undefined, undefined, half) : clock(hour)
  const way = /past|after/.test(word!) ? minutes : -minutes
  const read: Read = { time: time.add({ minutes: way }), carry: 0 }
  return half || named !== undefined || hour > 12 ? read : { ...read, half: 'unknown' }
}

function wholeHour([, hour = '']: RegExpExecArray): Read | undefined {
  const number = Number(withDigits(hour))
  return Number.isNaN(number) ? undefined : either('unknown', clock(number))
}

function either(half: 'first' | 'unknown', read: Clock): Read {
  return read.time.hour >= 1 && read.time.hour <= 12 ? { ...read, half } : read
}
function clock(...[hours, minutes = 0, seconds = 0, fraction = '']: (string | number | undefined)[]): Clock {
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)]
  const nanoseconds = Number(String(fraction).padEnd(9, '0'))
  if (hour === 24 && minute + second + nanoseconds === 0) return { time: new Temporal.PlainTime(), carry: 1 }
  if (hour > 23) throw new ToolError(`Hour ${hour} does not exist: hours run from 00 to 23.`)
  if (minute > 59) throw new ToolError(`Minute ${minute} does not exist: minutes run from 00 to 59.`)
  if (second === 60) throw new ToolError('Leap seconds are not supported: write second 59, not 60.')
  if (second > 59) throw new ToolError(`Second ${second} does not exist: seconds run from 00 to 59.`)
  return { time: new Temporal.PlainTime(hour, minute, second).add({ nanoseconds }), carry: 0 }
}
