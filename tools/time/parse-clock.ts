import { Temporal } from 'temporal-polyfill'
import { ToolError } from '../tool.ts'
import type { Taken } from './parse-date.ts'

/** A time of day as written. `carry` is 1 for 24:00, the end of the day. */
export interface Clock {
  readonly time: Temporal.PlainTime
  readonly carry: 0 | 1
}

const FORMS = [
  /^(?:12(?::00)? ?)?(noon|midday|midnight)(?![a-z])/,
  /^(\d{1,2})(?:[:.](\d{2}))?(?:[:.](\d{2}))?()\s*([ap])\.?m\.?(?![a-z])/,
  /^t(\d{2})(\d{2})(\d{2})?(?!\d)/,
  /^t?(\d{1,2})[:.](\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?!\d)/,
  /^(\d{2})(\d{2})(?: ?h(?:ou)?rs?|(?=z))(?![a-z]{2})/,
  /^t?(\d{1,2})h(\d{2})?(?![a-z\d])/,
]

/**
 * Takes a time of day off the front of lower-case text: `15:00`, `3:30 pm`, `noon`, `T1500`, `15h30`.
 * @throws {ToolError} when the clock has no such time.
 */
export function takeClock(text: string): Taken<Clock> | undefined {
  const found = FORMS.map(form => form.exec(text)).find(form => form)
  if (!found) return undefined
  const [all, hour = '', minute, second, fraction, half] = found
  const named = hour === 'midnight' ? 0 : /^[nm]/.test(hour) ? 12 : Number(hour)
  if (half && (named < 1 || named > 12)) {
    throw new ToolError(`"${all}" is not a time: with am or pm, hours run from 1 to 12 (3:30 pm, or 15:30).`)
  }
  const hours = half ? (named % 12) + (half === 'p' ? 12 : 0) : named
  return {
    value: clock(hours, Number(minute ?? 0), Number(second ?? 0), fraction ?? ''),
    rest: text.slice(all.length),
  }
}

function clock(hour: number, minute: number, second: number, fraction: string): Clock {
  const nanoseconds = Number(fraction.padEnd(9, '0'))
  if (hour === 24 && minute + second + nanoseconds === 0) return { time: new Temporal.PlainTime(), carry: 1 }
  if (hour > 23) throw new ToolError(`Hour ${hour} does not exist: hours run from 00 to 23.`)
  if (minute > 59) throw new ToolError(`Minute ${minute} does not exist: minutes run from 00 to 59.`)
  if (second === 60) throw new ToolError('Leap seconds cannot be reckoned with: write second 59, not 60.')
  if (second > 59) throw new ToolError(`Second ${second} does not exist: seconds run from 00 to 59.`)
  return { time: new Temporal.PlainTime(hour, minute, second).add({ nanoseconds }), carry: 0 }
}
