const UNSIGNED = String.raw`\d+(?:\.\d+)?`
const NUMBER = `-?${UNSIGNED}`
const LIST = `${NUMBER}(?:, ${NUMBER})* and ${NUMBER}`
const UNIT = '(?:(?:degrees|square|cubic) )?[a-z°]+(?:(?: per |/)[a-z]+)?'
const QUANTITY = `(?:${NUMBER}|an?) ${UNIT}`

/** Calculations in words, with the calculator's notation. */
const PHRASES = [
  [`(?:the )?square root of (${NUMBER})`, 'sqrt($1)'],
  [`(${NUMBER}) to the power of (${NUMBER})`, '($1)^($2)'],
  [`(${NUMBER}) factorial`, 'factorial($1)'],
  [`(?:the )?average of (${LIST})`, 'mean($1)'],
  [`(?:the )?greatest common divisor of (${LIST})`, 'gcd($1)'],
  [`(?:the )?sine of (${NUMBER}) degrees`, 'sin($1 deg)'],
  [`(${UNSIGNED})% off (${UNSIGNED})`, '$2 - $1%'],
  [`(?:the )?percentage change from (${UNSIGNED}) to (${UNSIGNED})`, '($2 - $1) / $1 to percent'],
  [`round (${NUMBER}) to (${NUMBER}) decimal places?`, 'round($1, $2)'],
  [`how many (${UNIT}) are (?:there )?(?:in )?(${QUANTITY})`, '$2 to $1'],
  [`(${QUANTITY}) (?:to|in) (${UNIT})`, '$1 to $2'],
].map(([phrase, notation = '']) => ({ pattern: new RegExp(`^${phrase}$`, 'i'), notation }))

const OPERAND = String.raw`(?:[-+(] ?)*(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?: ?[%)]| percent)*`
const OPERATOR = String.raw` ?(?:\*\*|[-+*/^×÷x]|plus|minus|times|divided by|(?<=% ?|percent )of) ?`
const EXPRESSION = new RegExp(`^${OPERAND}(?:${OPERATOR}${OPERAND})+$`, 'i')
/** Dates, phone and serial numbers, hexadecimal ones, items of a list. */
const NO_EXPRESSION = /\d{3}-\d{3}|\d-\d+-\d|\d\/\d+\/\d{4}|\d{4}\/\d+\/\d|\b0x|^[-+] /
const LEAD = /^(?:what is|how much is|calculate|compute|convert) /i

/** Reads a calculation; returns it in the calculator's notation. */
export function readArithmetic(text: string): string | undefined {
  const calculation = withDigits(text.replace(LEAD, ''))
  for (const { pattern, notation } of PHRASES)
    if (pattern.test(calculation))
      return calculation.replace(pattern, notation).replace(' and ', ', ').replace(/^an? /i, '1 ')
  return EXPRESSION.test(calculation) && !NO_EXPRESSION.test(calculation) ? calculation : undefined
}

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const NUMBER_WORD = new RegExp(
  `\\b(?:(${TENS.join('|')})(?:[- ](${ONES.slice(1, 10).join('|')}))?|(${ONES.join('|')}))\\b`,
  'gi',
)

/** Writes numbers below a hundred as digits: `nineteen times twenty-three` as `19 times 23`. */
function withDigits(text: string): string {
  return text.replace(NUMBER_WORD, (_, ten = '', one = '', small = '') => {
    const below = ONES.indexOf((small || one).toLowerCase())
    return String(10 * (TENS.indexOf(ten.toLowerCase()) + (ten ? 2 : 1)) + Math.max(0, below))
  })
}
