import { ToolError } from '../tool.ts'
import { Arithmetic } from './arithmetic.ts'
import { evaluate } from './evaluate.ts'
import { Notation, syntaxError } from './notation.ts'
import { type BigNumber, parse, type Tree } from './parser.ts'
import { type Quantity, unitText } from './quantity.ts'

/** Whole numbers and decimals are shown in full up to this many digits; others are rounded. */
const MOST_SHOWN = 64
const ROUNDED = 20
/** Measures are not known better. */
const ROUNDED_WITH_UNITS = 15

/**
 * `<expression as understood> = <value>`, then a line for each assumption made. The grammar, the numbers' range and the
 * work are bounded, so that no expression takes more than a few milliseconds.
 */
export function calculate(typed: string): string {
  const source = withoutPhrases(typed)
  if (source.trim() === '') throw new ToolError('The expression is empty. Give one such as "15% of 240".')
  const math = new Arithmetic()
  const term = evaluate(read(source, math), math)
  return [`${term.text} = ${render(term, math)}`, ...math.notes].join('\n')
}

/** Blanks out "What is" before the expression and drops "=" or "?" after it; positions stay the same. */
function withoutPhrases(typed: string): string {
  let end = typed.length
  while (end > 0 && /[\s=?＝]/.test(typed[end - 1]!)) end--
  const lead = /^\s*(?:=|what is |what's |calculate |compute |how much is )?\s*/i.exec(typed)?.[0] ?? ''
  return ' '.repeat(Math.min(lead.length, end)) + typed.slice(lead.length, end)
}

/** Parses, and turns the parser's complaint into one about what was typed. */
function read(source: string, math: Arithmetic): Tree {
  const { text, positions } = new Notation(source, line => math.notes.add(line))
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const position = positions[((error as { char?: number }).char ?? Number.POSITIVE_INFINITY) - 1]
    if (position === undefined)
      throw syntaxError(
        source.length,
        'the expression ends where a value was expected. Complete it or drop the last operator.',
      )
    throw syntaxError(
      position,
      `a value was expected at "${source.slice(position, position + 10)}". Check the operators before it.`,
    )
  }
}

/** The value as text: exact ones with all digits, others rounded; e-notation when very large or small. */
function render({ number, units }: Quantity, { digits, notes }: Arithmetic): string {
  const full = number.toSignificantDigits(digits - 2)
  const isShort = full.precision() <= Math.min(MOST_SHOWN, digits - 5)
  const limit = isShort ? MOST_SHOWN : units.length > 0 ? ROUNDED_WITH_UNITS : ROUNDED
  const shown = full.toSignificantDigits(limit)
  if (!isShort && full.e >= limit)
    notes.add(
      full.isInteger() && full.e < digits - 2
        ? `All digits: ${full.toFixed()}`
        : `Rounded to ${limit} digits.`,
    )
  const unit = unitText(units)
  const text = renderNumber(shown, limit)
  return unit === 'percent' ? `${text}%` : unit === '' ? text : `${text} ${unit}`
}

function renderNumber(number: BigNumber, digits: number): string {
  if (number.isZero()) return '0'
  // Zeros that only fill up to the point would look like known digits.
  return number.e < -7 || number.e >= digits ? number.toExponential() : number.toFixed()
}
