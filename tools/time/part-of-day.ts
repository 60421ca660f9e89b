import { ToolError } from '../tool.ts'
import type { Clock } from './parse-clock.ts'
import type { Taken } from './take.ts'

/** From the first hour, before the last; half past midnight still belongs to the night. */
const HOURS = { morning: [0, 12], afternoon: [12, 18], evening: [16, 24], night: [17, 25] } as const

export type PartOfDay = keyof typeof HOURS

/** Excludes feasts such as Burns Night. */
const PART =
  /(?<!\b(?:burns|walpurgis|fawkes|bonfire) )\b(?:(this|last|in the|at) )?(morning|afternoon|evening|night)\b|\btonight\b/

/** Cuts the part of the day out of lower-case text: `tonight at 8` leaves `today at 8`. */
export function cutPartOfDay(text: string): { readonly rest: string; readonly part?: PartOfDay } {
  const [all, which, name = 'night'] = PART.exec(text) ?? []
  if (all === undefined) return { rest: text }
  const day = which === 'last' ? 'yesterday' : which === 'this' || all === 'tonight' ? 'today' : ''
  return { rest: text.replace(all, day).trim(), part: name as PartOfDay }
}

/**
 * The clock time meant in a part of the day: 8:30 in the evening is 20:30, and 12 at night is the end of the day.
 * @param text what the clock time was taken from; without am, pm or a leading zero it may be in either half of the day
 * @throws {ToolError} when the time does not fit the part
 */
export function clockIn(part: PartOfDay, { value, rest }: Taken<Clock>, text: string): Clock {
  const { time, carry } = value
  const written = text.slice(0, text.length - rest.length)
  const isEither = /^(?:[1-9]|1[0-2])(?:[:.]\d\d)*(?: o'?clock)?$/.test(written)
  const hours = isEither ? [time.hour % 12, (time.hour % 12) + 12] : [time.hour + carry * 24]
  const hour = [...hours, hours[0]! + 24].find(each => each >= HOURS[part][0] && each < HOURS[part][1])
  if (hour !== undefined) return { time: time.with({ hour: hour % 24 }), carry: hour < 24 ? 0 : 1 }
  const times = hours.map(each => `${each % 24}`.padStart(2, '0') + `${time}`.slice(2, 5))
  throw new ToolError(`"${written}" does not go with "${part}": write the day and ${times.join(' or ')}.`)
}
