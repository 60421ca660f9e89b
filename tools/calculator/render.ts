import type { BigNumber } from 'mathjs'
import { type Accuracy, DIGITS } from './decimals.ts'
import type { Expression } from './expression.ts'
import { type Quantity, unitText } from './quantity.ts'

/** Significant digits shown. A result with units that was rounded shows 15: measures are not known better. */
const SHOWN: Readonly<Record<Accuracy, number>> = { exact: DIGITS, rounded: 20, double: 14 }
const SHOWN_WITH_UNITS = 15

const LEVELS: Readonly<Record<string, number>> = {
  to: 1,
  '+': 2,
  '-': 2,
  '*': 3,
  '/': 3,
  mod: 3,
  of: 3,
  '^': 6,
}
const IMPLICIT = 4
const PREFIX = 5
const POSTFIX = 7
const SINGLE = 8

/** The value as text: exact ones with all digits, others rounded; e-notation when very large or small. */
export function renderValue(value: Quantity): string {
  const limit =
    value.units.length > 0 && value.accuracy === 'rounded' ? SHOWN_WITH_UNITS : SHOWN[value.accuracy]
  const unit = unitText(value.units)
  const number = renderNumber(value.number.toSignificantDigits(limit), limit)
  if (unit === '') return number
  return unit === 'percent' ? `${number}%` : `${number} ${unit}`
}

function renderNumber(number: BigNumber, digits: number): string {
  if (number.isZero()) return '0'
  // Zeros that only fill up to the point would look like known digits.
  return number.e < -7 || number.e >= digits ? number.toExponential() : number.toFixed()
}

/** The expression as understood: with the signs, spellings and grouping that were calculated. */
export function renderExpression(expression: Expression): string {
  return write(expression, 0)
}

function write(expression: Expression, level: number): string {
  const text = bareText(expression)
  return levelOf(expression) < level ? `(${text})` : text
}

function bareText(expression: Expression): string {
  switch (expression.kind) {
    case 'number':
      return expression.value.e > 20 || expression.value.e < -7
        ? String(expression.value)
        : expression.value.toFixed()
    case 'constant':
    case 'unit':
      return expression.name
    case 'group':
      return `(${write(expression.inner, 0)})`
    case 'prefix':
      return expression.operator + write(expression.operand, PREFIX)
    case 'postfix':
      return write(expression.operand, POSTFIX) + expression.operator
    case 'call':
      return `${expression.function.name}(${expression.args.map(arg => write(arg, 0)).join(', ')})`
    case 'binary': {
      const { operator, left, right } = expression
      if (operator === '^') return `${write(left, POSTFIX)}^${write(right, PREFIX)}`
      const level = levelOf(expression)
      const measure = expression.implicit && startsWithUnit(right)
      const sign = measure
        ? ' '
        : '*/'.includes(operator) && isUnits(right) && endsWithUnit(left)
          ? operator
          : ` ${operator} `
      return write(left, level) + sign + write(right, level + 1)
    }
  }
}

function levelOf(expression: Expression): number {
  if (expression.kind === 'prefix') return PREFIX
  if (expression.kind === 'postfix') return POSTFIX
  if (expression.kind !== 'binary') return SINGLE
  return expression.implicit ? IMPLICIT : (LEVELS[expression.operator] ?? 0)
}

/** A measure such as `100 km`, or units alone. */
function endsWithUnit(expression: Expression): boolean {
  if (expression.kind === 'binary' && '*/'.includes(expression.operator)) return isUnits(expression.right)
  return isUnits(expression)
}

/** `km`, or `m^2`. */
function startsWithUnit(expression: Expression): boolean {
  if (expression.kind === 'binary' && expression.operator === '^') return startsWithUnit(expression.left)
  return expression.kind === 'unit'
}

function isUnits(expression: Expression): boolean {
  if (expression.kind === 'binary' && (expression.operator === '*' || expression.operator === '/'))
    return isUnits(expression.left) && isUnits(expression.right)
  return startsWithUnit(expression)
}
