import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'

/** A time of day as written. */
export interface Clock {
  readonly time: Temporal.PlainTime
  /** Whether it is 24:00, the end of the day. */
  readonly isEnd: boolean
  /** Whether it is "midnight" or 12 am, which people use for either end of a day. */
  readonly isMidnight: boolean
}

/** Pattern sources of a time of day in lower case: `noon`, `3:30 pm`, `15:00:07.25`, `t1500`. */
export const CLOCKS = [
  '(?:12(?::00)? )?(?<word>noon|midday|midnight)(?![a-z])',
  String.raw`t?(?<hour>\d{1,2})(?::(?<minute>\d\d))?(?::(?<second>\d\d))? ?(?<half>[ap])(?:m|\.m\.)(?![a-z])`,
  String.raw`t?(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?![\d:.])`,
  String.raw`t(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)?(?![\d:.])`,
]

/** @throws {ToolError} when no clock shows such a time */
export function readClock(written: string, parts: Readonly<Record<string, string | undefined>>): Clock {
  const { word, hour = '0', minute = '0', second = '0', fraction = '', half } = parts
  const isMidnight = word === 'midnight'
  if (word) return { time: new Temporal.PlainTime(isMidnight ? 0 : 12), isEnd: false, isMidnight }
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)]
  const isEnd = !half && hours === 24 && minutes + seconds + Number(fraction) === 0
  const isHour = half ? hours >= 1 && hours <= 12 : hours <= 23 || isEnd
  if (!isHour || minutes > 59 || seconds > 59) {
    const range = half ? 'with am or pm, hours run from 1 to 12' : 'hours run from 00 to 23'
    throw new ToolError(`"${written}" is not a time of day: ${range}, minutes and seconds from 00 to 59.`)
  }
  const shown = half ? (hours % 12) + (half === 'p' ? 12 : 0) : hours % 24
  const time = new Temporal.PlainTime(shown, minutes, seconds).add({
    nanoseconds: Number(fraction.padEnd(9, '0')),
  })
  return { time, isEnd, isMidnight: half === 'a' && time.equals(new Temporal.PlainTime()) }
}
