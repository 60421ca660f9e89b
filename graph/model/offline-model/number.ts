import type { Found, Text } from './text.ts'

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'

const VALUES: ReadonlyMap<string, bigint> = new Map([
  ...SMALL.split(' ').map((word, value) => [word, BigInt(value)] as const),
  ...TENS.split(' ').map((word, index) => [word, BigInt((index + 2) * 10)] as const),
])
/** Powers of ten by name. */
const SCALES: ReadonlyMap<string, number> = new Map([
  ['thousand', 3],
  ['million', 6],
  ['billion', 9],
  ['trillion', 12],
])

/** `1,250.5`, `3`, `.5`, `2e10`, `$80`, `2½`; no date, no clock, no ordinal, no part of a name. */
const DIGITS =
  /[$€£¥]? ?(?:(?:\d{1,3}(?:,\d{3})+(?!,?\d)|\d+)(?:\.\d+)?[½¼¾]?|\.\d+|[½¼¾])(?:e[+-]?\d+)?(?!:\d|st\b|nd\b|rd\b|th\b)/y
/** The same between the commas of a function's arguments. */
const ARGUMENT = /(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?/y
const DATE = /\d{4}([-/])\d{1,2}\1\d{1,2}(?!\d)|\d{1,2}([-/.])\d{1,2}\2\d{4}(?!\d)/y
const WORD = /(an?(?= +(?:hundred|thousand|million|billion|trillion)\b)|[a-z]+)(?![a-z'])/y

/** Reads a number in digits or English words; its value is written in digits, as the calculator takes it. */
export function readNumber(text: Text, at: number, inList = false): Found<string> | undefined {
  if (!inList && text.match(DATE, at)) return undefined
  const digits = text.match(inList ? ARGUMENT : DIGITS, at)
  if (!digits) return readWords(text, at)
  const end = digits.index + digits[0].length
  const scale = text.match(WORD, end)
  const zeros = SCALES.get(scale?.[1] ?? '')
  if (!scale || zeros === undefined) return { end, value: digits[0] }
  return { end: scale.index + scale[0].length, value: `${digits[0].replaceAll(',', '')}e${zeros}` }
}

/** `1/3`, `pi/6`, `-2/3`, without spaces: where a phrase asks of one value, the fraction is that value. */
export function readFraction(text: Text, at: number): Found<string> | undefined {
  const fraction = text.match(/(-?(?:\d+|pi|π))\/(\d+)(?![\d.,/%!^]|[a-z])/y, at)
  if (!fraction) return undefined
  const [whole, top, bottom] = fraction
  return { end: fraction.index + whole.length, value: `(${top} / ${bottom})` }
}

/** `two hundred and five`, `twenty-three`, `a hundred`, `three point one four`: as far as the words make one number. */
function readWords(text: Text, at: number): Found<string> | undefined {
  let [total, group, smallest, scaled] = [0n, undefined as bigint | undefined, 99, false]
  let end: number | undefined
  for (let next = at; ; ) {
    const word = text.match(WORD, next)
    if (!word) break
    const name = word[1]!
    const value = VALUES.get(name)
    const zeros = SCALES.get(name)
    if (name === 'a' || name === 'an') {
      if (end !== undefined) break
      group = 1n
    } else if (name === 'and') {
      if (!scaled || !VALUES.has(text.match(WORD, next + word[0].length + word.index - next)?.[1] ?? ''))
        break
    } else if (name === 'hundred') {
      if (group === undefined || group > 99n || group === 0n) break
      group *= 100n
    } else if (zeros !== undefined) {
      if (group === undefined || zeros >= smallest) break
      total += group * 10n ** BigInt(zeros)
      group = undefined
      smallest = zeros
    } else if (value === undefined || !fits(group, value)) break
    else group = (group ?? 0n) + value
    scaled = name === 'hundred' || zeros !== undefined
    next = word.index + word[0].length
    if (name !== 'and' && name !== 'a' && name !== 'an') end = next
    // Only a hyphen without spaces joins: "seven - three" is a difference.
    if (text.plain[next] === '-' && TENS.includes(name)) next++
  }
  return end === undefined ? undefined : withDecimals(text, end, String(total + (group ?? 0n)))
}

function fits(group: bigint | undefined, value: bigint): boolean {
  if (group === undefined) return true
  if (value === 0n) return false
  return group % 100n === 0n ? group > 0n : group % 100n >= 20n && group % 10n === 0n && value < 10n
}

function withDecimals(text: Text, at: number, whole: string): Found<string> {
  let [end, decimals] = [at, '']
  for (let next = text.literal('point', at); next !== undefined; ) {
    const word = text.match(WORD, next)
    const value = VALUES.get(word?.[1] ?? '')
    if (!word || value === undefined || value > 9n) break
    decimals += String(value)
    end = next = word.index + word[0].length
  }
  return { end, value: decimals === '' ? whole : `${whole}.${decimals}` }
}
