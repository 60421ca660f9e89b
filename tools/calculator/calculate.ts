import { Arithmetic, digitsOf, EXACT } from './arithmetic.ts'
import type { Node } from './evaluate.ts'
import { Notation } from './notation.ts'
import { parse } from './parser.ts'
import { unitText } from './products.ts'
import type { Quantity } from './quantity.ts'

/** Prints whole numbers and short decimals in full up to this many digits. */
const MOST_SHOWN = 64
/** Rounds all others to so many digits, and measurements, which are not more precise, to fewer. */
const [ROUNDED, ROUNDED_WITH_UNITS] = [20, 15]
/** Lists exact numbers up to this many digits and decimal places below the rounded one. */
const [MOST_LISTED, MOST_PLACES] = [1000, 100]

/**
 * Returns `<expression as understood> = <value>`, then one line per assumption. Limits on grammar, range and work keep
 * every expression within a few milliseconds.
 * @throws {ToolError} saying what to write instead
 * @example
 * calculate('15% of 240') // '15% of 240 = 36'
 */
export function calculate(typed: string): string {
  const math = new Arithmetic()
  const { text, value } = read(typed, math).evaluate(math)
  return [`${text} = ${render(value, math)}`, ...math.notes].join('\n')
}

/** Parses, and rewords a syntax error in terms of what the user typed. */
function read(typed: string, math: Arithmetic): Node {
  const notation = new Notation(typed, line => math.notes.add(line))
  try {
    return parse(notation.text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const { char = Number.POSITIVE_INFINITY } = error as { char?: number }
    if (notation.text.slice(char - 1).trim() === '')
      throw notation.error(char, 'it ends where a value was expected. Add one, or remove the last sign.')
    const rest = typed
      .slice(notation.place(char - 1))
      .slice(0, 10)
      .trim()
    throw notation.error(char - 1, `a value was expected at "${rest}". Check the operators before it.`)
  }
}

/** Formats the value: exact numbers in full, others rounded; e-notation when very large or very small. */
function render({ number, units }: Quantity, { notes }: Arithmetic): string {
  const digits = digitsOf(number)
  const full = digits === EXACT ? number : number.toSignificantDigits(Math.max(digits - 2, 1))
  const isShort = full.precision() <= Math.min(MOST_SHOWN, digits - 5)
  const limit = isShort ? MOST_SHOWN : units.length > 0 ? ROUNDED_WITH_UNITS : ROUNDED
  const shown = (full.precision() > limit ? number : full).toSignificantDigits(limit)
  const isListed = full.precision() <= MOST_LISTED && full.decimalPlaces() <= MOST_PLACES
  if (isListed && !isShort && digits === EXACT) notes.add(`All digits: ${full.toFixed()}`)
  // A rounded number that is long or ends in zeros would look exact.
  else if (!isShort && (full.e >= limit || shown.precision() < limit - 1) && !shown.eq(full))
    notes.add(`Rounded to ${limit} significant digits.`)
  // Padding zeros before the decimal point would look like known digits.
  const isPlain = shown.e >= -7 && shown.e < Math.min(limit, digits - 2)
  const text = shown.isZero() ? '0' : isPlain ? shown.toFixed() : shown.toExponential()
  const unit = unitText(units)
  return unit === 'percent' ? `${text}%` : `${text} ${unit}`.trim()
}
