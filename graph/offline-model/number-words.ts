const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const SCALES: ReadonlyMap<string, bigint> = new Map([
  ['thousand', 10n ** 3n],
  ['million', 10n ** 6n],
  ['billion', 10n ** 9n],
  ['trillion', 10n ** 12n],
])

const VALUES: ReadonlyMap<string, bigint> = new Map([
  ...UNITS.map((word, value) => [word, BigInt(value)] as const),
  ...TENS.map((word, index) => [word, BigInt((index + 2) * 10)] as const),
])

const WORD = [...VALUES.keys(), ...SCALES.keys(), 'hundred'].sort((a, b) => b.length - a.length).join('|')
/** A run of number words: `two hundred and five`, `twenty-three`; `a hundred` counts, a bare `a` does not. */
const RUN = new RegExp(
  `\\b(?:(?:an?\\s+)?(?:hundred|thousand|million|billion|trillion)|(?:${WORD}))(?:(?:[\\s-]+|\\s+and\\s+)(?:${WORD}))*\\b`,
  'gi',
)

/** Replaces English number words by digits: `seventeen times twenty-three` becomes `17 times 23`. */
export function digitsForWords(text: string): string {
  return text.replace(RUN, run => numberOf(run) ?? run)
}

/** `undefined` where the words are no one number, such as `two and three`. */
function numberOf(run: string): string | undefined {
  const words = run
    .toLowerCase()
    .split(/[\s-]+/)
    .filter(word => word !== 'a' && word !== 'an')
  let total = 0n
  let group = 0n
  let smallest = 10n ** 15n
  for (const [index, word] of words.entries()) {
    if (word === 'and') {
      // "two hundred and five", but "two and three" are two numbers.
      if (!['hundred', ...SCALES.keys()].includes(words[index - 1] ?? '')) return separate(words)
      continue
    }
    const scale = SCALES.get(word)
    const value = VALUES.get(word)
    if (word === 'hundred') group = (group || 1n) * 100n
    else if (scale !== undefined) {
      if (scale >= smallest) return undefined
      total += (group || 1n) * scale
      group = 0n
      smallest = scale
    } else if (value !== undefined) {
      const fits =
        group === 0n ||
        (group % 100n === 0n && value < 100n) ||
        (group % 10n === 0n && group % 100n >= 20n && value < 10n && value > 0n)
      if (!fits) return undefined
      group += value
    }
  }
  return String(total + group)
}

/** `two and three`: each side on its own. */
function separate(words: readonly string[]): string | undefined {
  const at = words.indexOf('and')
  const left = numberOf(words.slice(0, at).join(' '))
  const right = numberOf(words.slice(at + 1).join(' '))
  return left === undefined || right === undefined ? undefined : `${left} and ${right}`
}
