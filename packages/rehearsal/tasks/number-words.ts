const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'
const SCALES = 'thousand million billion trillion quadrillion'

const VALUES = new Map([
  ...SMALL.split(' ').map((word, value) => [word, value] as const),
  ...TENS.split(' ').map((word, index) => [word, 10 * (index + 2)] as const),
])
const SCALE_VALUES = new Map(SCALES.split(' ').map((word, index) => [word, 1000 ** (index + 1)]))

const WORD = `(?:${[...VALUES.keys(), 'hundred', ...SCALE_VALUES.keys()].sort().reverse().join('|')})`
const WRITTEN = new RegExp(
  String.raw`\b(?<sign>(?:minus|negative) )?(?<whole>${WORD}(?:(?:[\s-]|,? and |, )${WORD})*)(?: point (?<part>${WORD}(?: ${WORD})*))?\b`,
  'giu',
)

/** The numbers that a text writes out, such as `three hundred ninety-one` or `minus two point five`. */
export function numbersInWords(text: string): number[] {
  return [...text.matchAll(WRITTEN)].map(({ groups: { sign, whole = '', part = '' } = {} }) => {
    const digits = wordsOf(part)
      .map(word => VALUES.get(word))
      .join('')
    return (sign ? -1 : 1) * Number(`${wholeOf(wordsOf(whole))}.${digits || 0}`)
  })
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? []
  return words.filter(word => word !== 'and')
}

function wholeOf(words: readonly string[]): number {
  let sum = 0
  let group = 0
  for (const word of words) {
    const scale = SCALE_VALUES.get(word)
    if (scale !== undefined) {
      sum += Math.max(1, group) * scale
      group = 0
    } else if (word === 'hundred') group = Math.max(1, group) * 100
    else group += VALUES.get(word) ?? 0
  }
  return sum + group
}
