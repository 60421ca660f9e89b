import { ToolError } from '@agent-task-service/engine/tool'
import { Arithmetic, Fraction, isWholeNumber, type Real } from './arithmetic.ts'
import { evaluateNode } from './evaluate.ts'
import { resolveName } from './names.ts'
import { normalize } from './notation.ts'
import { type Node, parse, readable } from './parser.ts'
import type { Quantity } from './quantity.ts'
import { unitText } from './units.ts'

/** Working precisions. Digits that differ between the two are not known. */
const [DIGITS, MORE_DIGITS] = [40, 56]
/** Shows whole numbers, other exact numbers, and all others, to so many digits. */
const [MOST_WHOLE, MOST_EXACT, MOST_ROUNDED] = [1000, 30, 15]
/** Longest expression that is repeated whole, in characters. */
const MOST_ECHOED = 1100
/** What is lost in rounding and below this is shown as 0. */
const NOTHING = 1e-20

/**
 * Returns `<expression as understood> = <value>`, with `≈` for a rounded value, then one line per assumption. Limits on
 * grammar, range and work keep every expression within a few milliseconds.
 * @throws {ToolError} saying what to write instead
 * @example
 * evaluateExpression('15% of 240') // '15% of 240 = 36'
 */
export function evaluateExpression(typed: string): string {
  const [coarse, fine] = [new Arithmetic(DIGITS), new Arithmetic(MORE_DIGITS)]
  const node = read(typed, line => fine.notes.add(line))
  const near = evaluateNode(node, coarse).number
  const { number, units } = evaluateNode(node, fine)
  noteAmount(fine, node)
  const result = render(fine, { number: confirmed(fine, near, number), units })
  return [`${shortened(readable(String(node)))} ${result}`, ...fine.notes].join('\n')
}

/** Says of `10m` and `1 billion`, with which nothing is calculated, what the name is, since it has other meanings. */
function noteAmount(math: Arithmetic, node: Node): void {
  const [, symbol] = node.type === 'OperatorNode' && node.implicit ? node.args : []
  const meaning = symbol?.type === 'SymbolNode' ? resolveName(symbol.name) : undefined
  if (meaning?.kind === 'unit')
    math.notes.add(`${symbol} is a unit here; write thousand, million or billion for a number.`)
  const size = meaning?.kind === 'constant' && meaning.value(math)
  if (size instanceof Fraction) math.notes.add(`${symbol} is ${size} here.`)
}

/** The model knows a long list: it wrote it. */
function shortened(expression: string): string {
  return expression.length <= MOST_ECHOED
    ? expression
    : `${expression.slice(0, 80)} … ${expression.slice(-20)}`
}

/** Parses, and rewords a syntax error. */
function read(typed: string, note: (line: string) => void): Node {
  const text = normalize(typed, note)
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { char = text.length + 1 } = error as { char?: number }
    const rest = readable(text.slice(char - 1, char + 20)).trim()
    throw new ToolError(
      `Syntax error at ${rest ? `"${rest}"` : 'the end'}: a value, an operator (as in 1 + 1/2) or a parenthesis is missing.`,
    )
  }
}

/** The second value, once the first confirms its digits. */
function confirmed(math: Arithmetic, near: Real, value: Real): Real {
  const isExact = near instanceof Fraction && value instanceof Fraction
  const [one, other] = [math.rounded(near), math.rounded(value)]
  const isSame = isExact ? near.equals(value) : one.sub(other).abs().lte(other.abs().mul(1e-16))
  if (isSame) return value
  if (one.abs().gt(NOTHING) || other.abs().gt(NOTHING))
    throw new ToolError(
      'The result is lost in rounding: its digits are not certain. Rearrange the expression.',
    )
  math.notes.add(`The result is lost in rounding: it is 0, or closer to 0 than ${NOTHING}.`)
  return math.rounded(new Fraction(0))
}

/** `= 0.5 km`, or `≈ 0.333333333333333`. */
function render(math: Arithmetic, { number, units }: Quantity): string {
  const unit = unitText(units)
  const withUnit = (text: string) => (unit === 'percent' ? `${text}%` : `${text} ${unit}`.trim())
  const value = math.rounded(number)
  const short = value.toSignificantDigits(MOST_EXACT)
  const isShort = number instanceof Fraction && new Fraction(short.toFixed()).equals(number)
  const isLong = isWholeNumber(number) && String(number.n).length <= MOST_WHOLE
  if (!isShort && !isLong) return `≈ ${withUnit(plain(value.toSignificantDigits(MOST_ROUNDED)))}`
  const exact = isLong ? String(number.s * number.n) : plain(short)
  const size = isLong && value.e >= MOST_ROUNDED ? ` ≈ ${withUnit(plain(value.toSignificantDigits(5)))}` : ''
  return `= ${withUnit(exact)}${size}`
}

/** In e-notation where zeros before the decimal point would look like digits, or the number is very small. */
function plain(value: ReturnType<Arithmetic['rounded']>): string {
  const isPlain = value.isZero() || (value.e >= -7 && value.e < MOST_ROUNDED)
  return isPlain ? value.toFixed() : value.toExponential().replace('e+', 'e')
}
