import { all, type BigNumber, bignumber, create } from 'mathjs'
import { digits } from './number-words.ts'

const math = create(all!, { number: 'BigNumber', precision: 50 })

const N = String.raw`(-?\d+(?:\.\d+)?)`
/** The same if nothing more of the operand may follow. */
const LAST = `${N}(?! ?[/^])`
const LIST = String.raw`((?:-?[\d.]+)(?:(?:, | and |, and )-?[\d.]+)+)`
const rule = (notation: string, expression: string): [RegExp, string] => [
  new RegExp(notation, 'g'),
  expression,
]

/** In this order: ways to say a sum, and how to write it. */
const PHRASES: readonly [RegExp, string][] = [
  rule(String.raw`^round ${N} to (\d+) decimal( place)?s?$`, 'round($1, $2)'),
  rule(String.raw`^(.+?),? rounded to (\d+) decimal( place)?s?$`, 'round($1, $2)'),
  rule(String.raw`^(.+?) to (\d+) decimal( place)?s?$`, 'round($1, $2)'),
  rule(`(the )?(sum|total) of ${LIST}`, 'sum($3)'),
  rule(`(the )?product of ${LIST}`, 'prod($2)'),
  rule(`(the )?(average|mean) of ${LIST}`, 'mean($3)'),
  rule(`(the )?(greatest common divisor|highest common factor|gcd) of ${LIST}`, 'gcd($3)'),
  rule(`(the )?(maximum|max|largest|greatest) of ${LIST}`, 'max($3)'),
  rule(`(the )?(minimum|min|smallest) of ${LIST}`, 'min($3)'),
  rule(`(the )?difference between ${N} and ${N}`, '($2 - $3)'),
  rule(`(the )?remainder (when|of) ${N} (is )?divided by ${N}`, '($3 mod $5)'),
  rule(`^add ${N} (and|to) ${N}`, '($1 + $3)'),
  rule(`^subtract ${N} from ${N}`, '($2 - $1)'),
  rule(`^multiply ${N} (by|and|with) ${N}`, '($1 * $3)'),
  rule(`^divide ${N} by ${N}`, '($1 / $2)'),
  rule(`${N} ?(%|percent) off (of )?\\$?${N}`, '($4 * (1 - $1 / 100))'),
  rule(`^percent(age)? of ${N} is ${N}$`, 'percent($3 / $2)'),
  rule(`^${N} is what percent(age)? of ${N}$`, 'percent($1 / $3)'),
  rule(`^(the )?percent(age)? (change|increase) from ${N} to ${N}$`, 'percent($5 / $4 - 1)'),
  rule(`${N} ?(%|percent)( tip| discount)? (of|on) (a )?\\$?`, '($1 / 100) * '),
  rule(`${N} ?([-+]) ?${N} ?%`, '($1 * (1 $2 $3 / 100))'),
  rule(`(a )?half of`, '0.5 * '),
  rule(`(the )?square root of ${LAST}`, 'sqrt($2)'),
  rule(`(the )?square root of \\(`, 'sqrt('),
  rule(`(the )?cube root of ${LAST}`, 'cbrt($2)'),
  rule(`(the )?factorial of ${N}`, '($2)!'),
  rule(`${N} factorial`, '($1)!'),
  rule(`(the )?(sin|cos|tan)(e|ine|gent)? of ${N} degrees?`, '$2($4 / 180 * pi)'),
  rule(`(to the power of|raised to( the power of)?|to the power)`, '^'),
  rule('squared|²', '^2'),
  rule('cubed|³', '^3'),
  rule(String.raw`\*\*`, '^'),
  rule('multiplied by|times|×|⋅|·', '*'),
  rule(String.raw`(?<=[\d)]) ?x ?(?=[\d(])`, ' * '),
  rule('divided by|over|÷', '/'),
  rule('plus|added to', '+'),
  rule('minus|negative|less|−|–', '-'),
  rule('modulo', 'mod'),
]

const WORDS = new Set(
  'sum prod mean gcd max min round sqrt cbrt abs log sin cos tan percent mod pi e'.split(' '),
)

export function readSum(question: string): string | undefined {
  const spoken = digits(question).replace(/\$(?=\d)/g, '')
  let expression = spoken
  for (const [pattern, notation] of PHRASES) expression = expression.replace(pattern, notation)
  expression = expression.replaceAll(/(?<=\d),? and (?=-?\d)/g, ', ').trim()
  if (!/\d/.test(expression) || !/^[\w\s.,+\-*/^!%()]+$/.test(expression)) return undefined
  if ((expression.match(/[a-z]+/g) ?? []).some(word => !WORDS.has(word))) return undefined
  if (/\d{4,} *!|\^ *-?\d{5,}|\^.*\^/.test(expression) || !/[+\-*/^!%(]|mod/.test(expression))
    return undefined
  return evaluate(expression)
}

function evaluate(expression: string): string | undefined {
  const share = /^percent\((.*)\)$/.exec(expression)?.[1]
  try {
    const value: unknown = math.evaluate(share === undefined ? expression : `(${share}) * 100`)
    if (!math.isBigNumber(value) || !value.isFinite()) return undefined
    return `The answer is ${written(value)}${share === undefined ? '' : '%'}.`
  } catch {
    // Not a sum after all.
  }
  return undefined
}

/** Whole numbers in full, others to twelve figures. */
export function written(value: BigNumber | number): string {
  const big = bignumber(value)
  return big.isInteger() ? big.toFixed() : math.format(big, { precision: 12, lowerExp: -9, upperExp: 20 })
}
