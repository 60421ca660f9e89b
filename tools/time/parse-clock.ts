import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import { type Form, type Taken, take } from './take.ts'

/** A time of day as written. `carry` is 1 for 24:00, the end of the day. */
export interface Clock {
  readonly time: Temporal.PlainTime
  readonly carry: 0 | 1
}

const FORMS: readonly Form<Clock>[] = [
  [/^(?:12(?::00)? ?)?(?:noon|midday|(midnight))(?![a-z])/, ([, midnight]) => clock(midnight ? 0 : 12)],
  [/^(\d{1,2})(?:[:.](\d{2}))?(?:[:.](\d{2}))?\s*([ap])\.?m\.?(?![a-z])/, halfDay],
  [/^t(\d{2})(\d{2})(\d{2})?(?!\d)/, ([, ...parts]) => clock(...parts)],
  [/^t?(\d{1,2})[:.](\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?!\d)/, ([, ...parts]) => clock(...parts)],
  [/^(\d{2})(\d{2})(?: ?h(?:ou)?rs?|(?=z))(?![a-z]{2})/, ([, ...parts]) => clock(...parts)],
  [/^t?(\d{1,2})h(\d{2})?(?![a-z\d])/, ([, ...parts]) => clock(...parts)],
]

/** Read only beside a part of the day: `8 o'clock` in the evening. */
const BARE: Form<Clock> = [/^(\d{1,2})(?: o'?clock)?(?![\w:.])/, ([, hour]) => clock(hour)]

/**
 * Reads a time of day at the start of lower-case text: `15:00`, `3:30 pm`, `noon`, `T1500`, `15h30`.
 * @param isBare whether an hour alone is read too
 * @throws {ToolError} when no clock shows such a time
 */
export function takeClock(text: string, isBare: boolean): Taken<Clock> | undefined {
  return take(text, isBare ? [...FORMS, BARE] : FORMS)
}

function halfDay([all, hour, minute, second, half]: RegExpExecArray): Clock {
  const named = Number(hour)
  if (named >= 1 && named <= 12) return clock((named % 12) + (half === 'a' ? 0 : 12), minute, second)
  throw new ToolError(`"${all}" is not a time: with am or pm, hours run from 1 to 12 (3:30 pm, or 15:30).`)
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
