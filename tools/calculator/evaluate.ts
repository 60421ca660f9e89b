import { ToolError } from '../tool.ts'
import type { Arithmetic } from './arithmetic.ts'
import { convertTo } from './conversion.ts'
import { type Expression, isPercentage } from './expression.ts'
import { type CalculatorFunction, type CallContext, plain } from './function.ts'
import { power } from './number-functions.ts'
import {
  align,
  bare,
  checkPowers,
  combine,
  isTemperatureScale,
  type Quantity,
  refuseTemperatureScale,
  withUnits,
} from './quantity.ts'
import { factorial, remainder } from './whole-functions.ts'

/** What one evaluation works with. */
export interface Evaluation {
  readonly arithmetic: Arithmetic
  readonly notes: Set<string>
}

/**
 * The value of an expression. Holds no state: the same expression always gives the same value.
 * @throws {ToolError} when there is no finite real value, or it would take too much computing
 */
export function evaluate(expression: Expression, evaluation: Evaluation): Quantity {
  const { arithmetic, notes } = evaluation
  const read = (part: Expression) => evaluate(part, evaluation)
  switch (expression.kind) {
    case 'number':
      return bare(arithmetic.from(expression.value))
    case 'constant':
      return bare(arithmetic.from(expression.digits, 'rounded'))
    case 'unit':
      if (expression.unit.note !== undefined) notes.add(expression.unit.note)
      return withUnits(arithmetic.from(1), [{ unit: expression.unit, power: 1 }])
    case 'group':
      return read(expression.inner)
    case 'prefix': {
      const operand = read(expression.operand)
      return expression.operator === '+' ? operand : withUnits(arithmetic.negate(operand), operand.units)
    }
    case 'postfix': {
      const operand = read(expression.operand)
      if (expression.operator === '%') return combine(arithmetic, operand, bare(arithmetic.from('0.01')), 1)
      return bare(factorial(context('A factorial', evaluation), plain(operand, 'A factorial')))
    }
    case 'call': {
      const { name, callee } = expression.function
      const count = expression.args.length
      if (count < callee.minimum || count > callee.maximum) throw wrongCount(name, callee, count)
      return callee.apply(expression.args.map(read), context(name, evaluation))
    }
    case 'binary':
      return binary(expression, evaluation)
  }
}

function binary(expression: Extract<Expression, { kind: 'binary' }>, evaluation: Evaluation): Quantity {
  const { arithmetic } = evaluation
  const { operator } = expression
  const left = evaluate(expression.left, evaluation)
  const right = evaluate(expression.right, evaluation)
  switch (operator) {
    case '+':
    case '-': {
      const added =
        isPercentage(expression.right) && !isPercentage(expression.left)
          ? shareOf(left, right, evaluation)
          : right
      const aligned = align(arithmetic, operator === '+' ? 'add' : 'subtract', left, added)
      return withUnits(
        operator === '+' ? arithmetic.add(left, aligned) : arithmetic.subtract(left, aligned),
        left.units,
      )
    }
    case '*':
    case 'of':
      // A number times a temperature scale is how "72 degF" is written.
      if (expression.right.kind === 'unit' && isTemperatureScale(right.units) && left.units.length === 0)
        return withUnits(left, right.units)
      return combine(arithmetic, left, right, 1)
    case '/':
      return combine(arithmetic, left, right, -1)
    case '^':
      return raise(left, plain(right, 'An exponent'), evaluation)
    case 'mod': {
      const aligned = align(arithmetic, 'take the remainder of', left, right)
      return withUnits(remainder(context('mod', evaluation), left, aligned), left.units)
    }
    case 'to':
      return convertTo(left, expression.right, right, arithmetic, evaluation.notes)
  }
}

function raise(base: Quantity, exponent: ReturnType<typeof plain>, evaluation: Evaluation): Quantity {
  refuseTemperatureScale(base)
  const times = base.units.length === 0 ? 0 : exponent.number.toNumber()
  const units = base.units.map(({ unit, power }) => ({ unit, power: power * times }))
  checkPowers(units)
  const raised = power(context('^', evaluation), base, exponent)
  return withUnits(
    raised,
    units.filter(one => one.power !== 0),
  )
}

/** `240 + 15%`: the percentage is of what stands before it. */
function shareOf(whole: Quantity, share: Quantity, { arithmetic, notes }: Evaluation): Quantity {
  notes.add('A percentage after + or - was taken of the value before it: 240 + 15% is 240 * 1.15.')
  return combine(arithmetic, whole, share, 1)
}

function context(name: string, { arithmetic, notes }: Evaluation): CallContext {
  return { arithmetic, notes, name }
}

function wrongCount(name: string, { usage, maximum }: CalculatorFunction, count: number): ToolError {
  const commas = 'Inside its parentheses commas separate arguments, so write 1234 rather than 1,234.'
  const given = `${name} was given ${count} argument${count === 1 ? '' : 's'}: write ${usage}.`
  return new ToolError(count > maximum ? `${given} ${commas}` : given)
}
