const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'
const SCALES = { hundred: 100, thousand: 1000, million: 1e6, billion: 1e9 }

const VALUES = new Map<string, number>([
  ...ONES.split(' ').map((word, index): [string, number] => [word, index]),
  ...TENS.split(' ').map((word, index): [string, number] => [word, 10 * (index + 2)]),
])
const WORD = [...VALUES.keys(), ...Object.keys(SCALES)].sort((a, b) => b.length - a.length).join('|')
const RUN = new RegExp(`\\b(?:${WORD})\\b(?:(?:[ -]| and )(?:${WORD})\\b)*`, 'g')

/** Replaces number words by digits: `two hundred and five` becomes `205`. */
export function digits(text: string): string {
  const grouped = text.replace(/(\d),(?=\d{3}\b)/g, '$1')
  const scaled = grouped.replace(/(\d(?:\.\d+)?) (thousand|million|billion)\b/g, (_, number, scale) =>
    String(Number(number) * SCALES[scale as keyof typeof SCALES]),
  )
  return scaled.replace(RUN, words => String(numberOf(words.split(/ and |[ -]/))))
}

function numberOf(words: readonly string[]): number {
  let total = 0
  let group = 0
  for (const word of words) {
    const scale = SCALES[word as keyof typeof SCALES]
    if (scale === undefined) group += VALUES.get(word) ?? 0
    else if (scale === 100) group = (group || 1) * 100
    else {
      total += (group || 1) * scale
      group = 0
    }
  }
  return total + group
}
