const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'
const VALUES: ReadonlyMap<string, bigint> = new Map([
  ...SMALL.split(' ').map((word, value) => [word, BigInt(value)] as const),
  ...TENS.split(' ').map((word, index) => [word, BigInt((index + 2) * 10)] as const),
])
const SCALES: ReadonlyMap<string, bigint> = new Map([
  ['thousand', 10n ** 3n],
  ['million', 10n ** 6n],
  ['billion', 10n ** 9n],
  ['trillion', 10n ** 12n],
])

const LARGE = ['hundred', ...SCALES.keys()].join('|')
const WORD = `(?:${[...VALUES.keys(), LARGE].join('|')})(?![a-z])`
/** A hyphen joins only tens and ones: "seven-three" is no number. */
const RUN = new RegExp(`\\b${WORD}(?:(?: |(?<=ty)-|(?<=${LARGE}) and )${WORD})*`, 'gi')
const ARTICLE = new RegExp(`\\ban? (?=(?:${LARGE}|half|third|quarter|fifth|tenth)(?![a-z]))`, 'gi')
const DIGIT = `(?:${SMALL.split(' ').slice(0, 10).join('|')})(?![a-z])`
const DECIMALS = new RegExp(` point (${DIGIT}(?: ${DIGIT})*)`, 'gi')

/**
 * Writes numbers in words as digits.
 * @example
 * withDigits('two hundred and five minus three point one') // '205 minus 3.1'
 */
export function withDigits(text: string): string {
  return text
    .replace(ARTICLE, 'one ')
    .replace(DECIMALS, (_, words: string) => {
      const digits = words.toLowerCase().split(' ')
      return `.${digits.map(digit => VALUES.get(digit)).join('')}`
    })
    .replace(RUN, words => String(numberOf(words.toLowerCase().split(/ and |[ -]/)) ?? words))
}

/** `undefined` if the words are not one number, such as "two three". */
function numberOf(words: readonly string[]): bigint | undefined {
  let [total, group, least] = [0n, undefined as bigint | undefined, 10n ** 15n]
  for (const word of words) {
    const scale = SCALES.get(word)
    const value = VALUES.get(word)
    if (word === 'hundred' && group && group < 100n) group *= 100n
    else if (scale && group && scale < least)
      [total, group, least] = [total + group * scale, undefined, scale]
    else if (value !== undefined && fits(group, value)) group = (group ?? 0n) + value
    else return undefined
  }
  return total + (group ?? 0n)
}

function fits(group: bigint | undefined, value: bigint): boolean {
  if (group === undefined) return true
  const ones = group % 100n === 0n ? 99n : group % 10n === 0n && group % 100n > 10n ? 9n : 0n
  return group > 0n && value > 0n && value <= ones
}
