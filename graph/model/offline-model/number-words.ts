const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const NUMBER = new RegExp(
  `\\b(?:(${TENS.join('|')})(?:[- ](${ONES.slice(1, 10).join('|')}))?|(${ONES.join('|')}))\\b`,
  'gi',
)

/**
 * Writes numbers below a hundred as digits.
 * @example
 * withDigits('nineteen times twenty-three') // '19 times 23'
 */
export function withDigits(text: string): string {
  return text.replace(NUMBER, (_, ten = '', one = '', small = '') => {
    const below = ONES.indexOf((small || one).toLowerCase())
    return String(10 * (TENS.indexOf(ten.toLowerCase()) + (ten ? 2 : 1)) + Math.max(0, below))
  })
}
