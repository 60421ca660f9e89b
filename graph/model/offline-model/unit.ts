import { resolveName } from '../../../tools/calculator/names.ts'
import type { Found, Text } from './text.ts'

const NAME = /[a-zµμω°][a-zµμω]*/y
const POWER = /\^?([23])(?!\d)|([²³])/y
const DEGREES = /(?:degrees?|°|deg)(?= *[a-z])/y

/** Letters that stand for a temperature scale beside "degrees", and names the calculator spells otherwise. */
const SCALES: ReadonlyMap<string, string> = new Map([
  ['c', 'degC'],
  ['°c', 'degC'],
  ['celsius', 'degC'],
  ['centigrade', 'degC'],
  ['f', 'degF'],
  ['°f', 'degF'],
  ['fahrenheit', 'degF'],
  ['kelvin', 'K'],
  ['kelvins', 'K'],
])
const RAISED: readonly (readonly [words: readonly string[], power: string])[] = [
  [['square', 'sq'], '^2'],
  [['cubic', 'cu'], '^3'],
]
/** Words that follow a number and are no unit there. */
const NO_UNIT = new Set(['in', 'to', 'as', 'of', 'at', 'a', 'x'])

/** Reads a unit: `km`, `square feet`, `miles per hour`, `degrees Celsius`; its value is the calculator's spelling. */
export function readUnit(text: Text, at: number): Found<string> | undefined {
  const first = readSimple(text, at)
  if (!first) return undefined
  const per = text.plain[first.end] === '/' ? first.end + 1 : text.literal('per', first.end)
  const second = per === undefined ? undefined : readSimple(text, per)
  return second ? { end: second.end, value: `${first.value}/${second.value}` } : first
}

function readSimple(text: Text, at: number): Found<string> | undefined {
  const degrees = text.match(DEGREES, at)
  const scale = degrees && readScale(text, degrees.index + degrees[0].length)
  if (scale) return scale
  for (const [words, power] of RAISED) {
    for (const word of words) {
      const end = text.literal(word, at)
      const base = end === undefined ? undefined : readName(text, end)
      if (base) return { end: base.end, value: base.value + power }
    }
  }
  const name = readName(text, at) ?? readScale(text, at)
  const power = name && text.plain[name.end] !== ' ' ? text.match(POWER, name.end) : undefined
  if (!name || !power) return name
  return {
    end: power.index + power[0].length,
    value: `${name.value}^${power[1] ?? (power[2] === '²' ? 2 : 3)}`,
  }
}

function readScale(text: Text, at: number): Found<string> | undefined {
  const word = text.match(NAME, at)
  const value = SCALES.get(word?.[0] ?? '')
  return word && value ? { end: word.index + word[0].length, value } : undefined
}

/** One word, or two that are one unit: `nautical miles`. */
function readName(text: Text, at: number): Found<string> | undefined {
  const word = text.match(NAME, at)
  if (!word) return undefined
  const end = word.index + word[0].length
  if (/[a-z\d_]/.test(text.plain[end] ?? '') && !/[23]/.test(text.plain[end] ?? '')) return undefined
  const typed = text.typed.slice(word.index, end)
  const other = text.match(NAME, end)
  // Not so `300 m in feet`, which holds no minutes.
  if (other && other.index > end && Math.min(word[0].length, other[0].length) > 2) {
    const otherEnd = other.index + other[0].length
    const joined = typed + text.typed.slice(other.index, otherEnd)
    if (resolveName(joined)?.kind === 'unit') return { end: otherEnd, value: joined }
  }
  if (word[0] === 'in' && isInch(text, end)) return { end, value: 'inch' }
  if (NO_UNIT.has(word[0])) return undefined
  return resolveName(typed)?.kind === 'unit' ? { end, value: typed } : undefined
}

/** `5 in to cm`, `10 in`: a unit only where no unit follows that it would lead to. */
function isInch(text: Text, end: number): boolean {
  return text.match(/(?:to|into|in|as)\b|[?.=,!)]|\n|$/y, end) !== undefined
}
