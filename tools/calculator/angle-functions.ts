import { ToolError } from '../tool.ts'
import type { Real } from './decimals.ts'
import { type CalculatorFunction, type CallContext, numeric } from './function.ts'
import { bare, convert, type Quantity, unitText } from './quantity.ts'
import { ANGLE } from './unit-table.ts'
import { findUnit } from './units.ts'

/** pi to 64 digits, so that reducing by whole turns costs no precision. */
export const PI = '3.141592653589793238462643383279502884197169399375105820974944592'

/** Larger angles are refused: too little of the fraction of a turn would be left. */
const LARGEST_ANGLE = 1e15
/** The spacing of doubles near 1: a sine below this share of its angle is the rounding of pi, so it is 0. */
const NOISE = 2.3e-16

/** Sine and cosine of an angle with a unit, or of a bare number in radians (which is noted). */
function sineAndCosine(angle: Quantity, context: CallContext): [sine: number, cosine: number] {
  const { arithmetic } = context
  let value: Real = angle
  let turn: Real = arithmetic.multiply(arithmetic.from(PI, 'rounded'), arithmetic.from(2))
  let radiansEach: Real | undefined
  if (angle.units.length === 0)
    context.notes.add(
      `Angles without a unit were taken as radians; write "${context.name}(30 deg)" for degrees.`,
    )
  else {
    const degree = findUnit('deg')
    if (degree === undefined || !isAngle(angle)) {
      throw new ToolError(
        `${context.name} takes an angle ("30 deg", "2 rad") or a bare number in radians, not ${unitText(angle.units)}.`,
      )
    }
    // Whole turns are taken off in degrees, which is exact.
    value = convert(arithmetic, angle, [{ unit: degree, power: 1 }])
    radiansEach = arithmetic.divide(turn, arithmetic.from(360))
    turn = arithmetic.from(360)
  }
  if (value.number.abs().gte(LARGEST_ANGLE) || (value.accuracy === 'double' && value.number.abs().gte(1e9)))
    throw new ToolError(`${context.name} takes angles up to 1e15: beyond that the result is not meaningful.`)
  const turns = { number: arithmetic.divide(value, turn).number.round(), accuracy: 'exact' } as const
  const rest = arithmetic.subtract(value, arithmetic.multiply(turns, turn))
  const radians = radiansEach === undefined ? rest : arithmetic.multiply(rest, radiansEach)
  arithmetic.spend(20)
  const x = radians.number.toNumber()
  const noise = NOISE * Math.min(7, Math.abs(value.number.toNumber()) + Math.abs(x))
  const clean = (result: number) =>
    Math.abs(result) < noise && Math.abs(value.number.toNumber()) > 0.1 ? 0 : result
  return [clean(Math.sin(x)), clean(Math.cos(x))]
}

function isAngle(quantity: Quantity): boolean {
  return (
    quantity.units.length === 1 &&
    quantity.units[0]?.power === 1 &&
    String(quantity.units[0].unit.dimensions) === String(ANGLE)
  )
}

function trigonometric(
  name: string,
  ratio: (sine: number, cosine: number) => [above: number, below: number],
) {
  const apply = (args: readonly Quantity[], context: CallContext): Quantity => {
    const [above, below] = ratio(...sineAndCosine(args[0]!, context))
    if (below === 0) throw new ToolError(`${name} is not defined at this angle: its value is infinite there.`)
    return bare(context.arithmetic.fromDouble(above / below))
  }
  return { minimum: 1, maximum: 1, usage: `${name}(angle)`, apply }
}

function inverse(name: string, apply: (x: number) => number, limit?: number): CalculatorFunction {
  return numeric(`${name}(x)`, 1, 1, (context, value) => {
    const x = context.arithmetic.toDouble(context.arithmetic.tidy(value))
    if (limit !== undefined && Math.abs(x) > limit)
      throw new ToolError(`${name} is defined from -1 to 1 only; outside there is no real result.`)
    noteRadians(context)
    return context.arithmetic.fromDouble(apply(x))
  })
}

function noteRadians(context: CallContext): void {
  context.notes.add(`${context.name} gives radians; write "${context.name}(...) to deg" for degrees.`)
}

/** Trigonometric functions and their inverses. */
export const ANGLE_FUNCTIONS: Readonly<Record<string, CalculatorFunction>> = {
  sin: trigonometric('sin', (sine, _) => [sine, 1]),
  cos: trigonometric('cos', (_, cosine) => [cosine, 1]),
  tan: trigonometric('tan', (sine, cosine) => [sine, cosine]),
  sec: trigonometric('sec', (_, cosine) => [1, cosine]),
  csc: trigonometric('csc', (sine, _) => [1, sine]),
  cot: trigonometric('cot', (sine, cosine) => [cosine, sine]),
  asin: inverse('asin', Math.asin, 1),
  acos: inverse('acos', Math.acos, 1),
  atan: inverse('atan', Math.atan),
  arcsin: inverse('arcsin', Math.asin, 1),
  arccos: inverse('arccos', Math.acos, 1),
  arctan: inverse('arctan', Math.atan),
  atan2: numeric('atan2(y, x)', 2, 2, (context, y, x) => {
    if (y.number.isZero() && x.number.isZero())
      throw new ToolError('atan2(0, 0) is undefined: it has no direction.')
    noteRadians(context)
    return context.arithmetic.fromDouble(
      Math.atan2(context.arithmetic.toDouble(y), context.arithmetic.toDouble(x)),
    )
  }),
}
