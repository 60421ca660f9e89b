import { ToolError } from '../tool.ts'
import type { Taken } from './parse-date.ts'

/** A time of day as written. `carry` is 1 for 24:00, the end of the day. */
export interface Clock {
  hour: number
  minute: number
  second: number
  nanosecond: number
  carry: 0 | 1
}

const TWELVE = /^(\d{1,2})(?:[:.](\d{2}))?(?::(\d{2}))?\s*(a\.?m|p\.?m)\.?(?![a-z])/
const TWENTY_FOUR = /^(\d{1,2})[:.](\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?!\d)/
const HOUR_LETTER = /^(\d{1,2})h(\d{2})?(?![a-z\d])/
const BASIC = /^t(\d{2})(\d{2})(\d{2})?(?!\d)/
const WORDS = /^(?:12(?::00)? ?)?(noon|midday|midnight)(?![a-z])/

/**
 * Takes a time of day off the front of lower-case text: `15:00`, `3:30 pm`, `noon`, `T1500`, `15h30`.
 * @throws {ToolError} when the clock has no such time.
 */
export function takeClock(text: string): Taken<Clock> | undefined {
  const word = WORDS.exec(text)
  if (word) return { value: clock(word[1] === 'midnight' ? 0 : 12), rest: text.slice(word[0].length) }
  const twelve = TWELVE.exec(text)
  if (twelve) return { value: readTwelve(twelve), rest: text.slice(twelve[0].length) }
  const basic = BASIC.exec(text)
  const plain = text.replace(/^t(?=\d)/, '')
  const found = basic ?? TWENTY_FOUR.exec(plain) ?? HOUR_LETTER.exec(plain)
  if (!found) return undefined
  const fraction = found[4]
  const nanosecond = fraction === undefined ? 0 : Number(fraction.padEnd(9, '0'))
  const value = clock(Number(found[1]), Number(found[2] ?? 0), Number(found[3] ?? 0), nanosecond)
  return { value, rest: (basic ? text : plain).slice(found[0].length) }
}

function readTwelve(found: RegExpExecArray): Clock {
  const hour = Number(found[1])
  const evening = found[4]!.startsWith('p')
  if (hour < 1 || hour > 12) {
    throw new ToolError(
      `"${found[0]}" is not a time: with am or pm, hours run from 1 to 12 (3:30 pm, or 15:30).`,
    )
  }
  return clock((hour % 12) + (evening ? 12 : 0), Number(found[2] ?? 0), Number(found[3] ?? 0))
}

function clock(hour: number, minute = 0, second = 0, nanosecond = 0): Clock {
  if (hour === 24 && minute === 0 && second === 0 && nanosecond === 0) {
    return { hour: 0, minute, second, nanosecond, carry: 1 }
  }
  if (hour > 23) throw new ToolError(`Hour ${hour} does not exist: hours run from 00 to 23.`)
  if (minute > 59) throw new ToolError(`Minute ${minute} does not exist: minutes run from 00 to 59.`)
  if (second === 60)
    throw new ToolError('Leap seconds cannot be reckoned with: write second 59 instead of 60.')
  if (second > 59) throw new ToolError(`Second ${second} does not exist: seconds run from 00 to 59.`)
  return { hour, minute, second, nanosecond, carry: 0 }
}
