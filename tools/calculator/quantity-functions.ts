import type { BigNumber } from 'mathjs'
import { ToolError } from '../tool.ts'
import type { Real } from './decimals.ts'
import { type CalculatorFunction, type CallContext, plain, whole } from './function.ts'
import { root } from './number-functions.ts'
import { align, checkPowers, combine, type Quantity, refuseTemperatureScale, withUnits } from './quantity.ts'

/** A function of one number, with or without units, whose result has the same units. */
function keepingUnits(name: string, apply: (value: Real, context: CallContext) => Real): CalculatorFunction {
  return {
    minimum: 1,
    maximum: 1,
    usage: `${name}(x)`,
    apply: ([value], context) => withUnits(apply(value!, context), value!.units),
  }
}

/** Rounding of the value meant: sin(30 deg) * 2 is 1, though its double is a hair below. */
function rounding(name: string, step: (number: BigNumber) => BigNumber): CalculatorFunction {
  return keepingUnits(name, (value, { arithmetic }) => {
    const { number, accuracy } = arithmetic.tidy(value)
    return arithmetic.from(step(number), accuracy === 'double' && number.e > 14 ? 'double' : 'exact')
  })
}

/** Half away from zero: round(2.5) is 3, round(-2.5) is -3. */
function roundTo(value: Quantity, places: Quantity | undefined, context: CallContext): Quantity {
  const { arithmetic } = context
  const digits = places === undefined ? 0 : whole(context, plain(places, 'round'), -100, 100)
  const scale = arithmetic.wholePower(arithmetic.from(10), digits)
  const scaled = arithmetic.tidy(arithmetic.multiply(value, scale))
  const half = scaled.accuracy === 'double' ? scaled.number.toSignificantDigits(15) : scaled.number
  const rounded = half
    .abs()
    .plus(0.5)
    .floor()
    .times(half.isNegative() ? -1 : 1)
  const accuracy = value.accuracy === 'double' && scaled.number.e > 14 ? 'double' : 'exact'
  return withUnits(arithmetic.divide(arithmetic.from(rounded, accuracy), scale), value.units)
}

/** A root divides the powers of the units: sqrt(9 m^2) is 3 m. */
function rootOf(value: Quantity, degree: 2 | 3, context: CallContext): Quantity {
  refuseTemperatureScale(value)
  const units = value.units.map(({ unit, power }) => ({ unit, power: power / degree }))
  checkPowers(units)
  return withUnits(root(context, value, context.arithmetic.from(degree)), units)
}

function overList(
  usage: string,
  apply: (values: Quantity[], context: CallContext) => Quantity,
): CalculatorFunction {
  return {
    minimum: 1,
    maximum: 300,
    usage,
    apply: ([first, ...rest], context) => {
      refuseTemperatureScale(first!)
      const verb = `take ${context.name} of`
      return apply([first!, ...rest.map(value => align(context.arithmetic, verb, first!, value))], context)
    },
  }
}

function sum(values: Quantity[], { arithmetic }: CallContext): Quantity {
  return withUnits(
    values.reduce<Real>((total, value) => arithmetic.add(total, value), arithmetic.from(0)),
    values[0]!.units,
  )
}

function mean(values: Quantity[], context: CallContext): Quantity {
  const { arithmetic } = context
  const total = sum(values, context)
  return withUnits(arithmetic.divide(total, arithmetic.from(values.length)), total.units)
}

function extreme(direction: 1 | -1) {
  return (values: Quantity[], { arithmetic }: CallContext): Quantity =>
    values.reduce((best, value) => (arithmetic.compare(value, best) * direction > 0 ? value : best))
}

function median(values: Quantity[], context: CallContext): Quantity {
  context.arithmetic.spend(values.length * 10)
  const sorted = values.toSorted((left, right) => left.number.comparedTo(right.number))
  const middle = sorted.length / 2
  return mean(sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1), context)
}

/** The root of the mean squared distance from the mean; the sample's divides by one less. */
function deviation(values: Quantity[], context: CallContext, less: 0 | 1): Quantity {
  if (values.length <= less) throw new ToolError(`${context.name} needs at least two numbers.`)
  const { arithmetic } = context
  const center = mean(values, context)
  const squares = values.map(value => {
    const distance = arithmetic.subtract(value, center)
    return arithmetic.multiply(distance, distance)
  })
  const total = squares.reduce((left, right) => arithmetic.add(left, right))
  const variance = arithmetic.divide(total, arithmetic.from(values.length - less))
  return withUnits(arithmetic.squareRoot(variance), center.units)
}

function hypotenuse(values: Quantity[], { arithmetic }: CallContext): Quantity {
  const total = values
    .map(value => arithmetic.multiply(value, value))
    .reduce((left, right) => arithmetic.add(left, right))
  return withUnits(arithmetic.squareRoot(total), values[0]!.units)
}

function product(args: readonly Quantity[], { arithmetic }: CallContext): Quantity {
  return args.reduce((left, right) => combine(arithmetic, left, right, 1))
}

/** Functions that take quantities with units as well as bare numbers. */
export const QUANTITY_FUNCTIONS: Readonly<Record<string, CalculatorFunction>> = {
  abs: keepingUnits('abs', value => ({ ...value, number: value.number.abs() })),
  sign: {
    ...keepingUnits('sign', x => x),
    apply: ([x], { arithmetic }) => withUnits(arithmetic.from(x!.number.comparedTo(0)), []),
  },
  floor: rounding('floor', number => number.floor()),
  ceil: rounding('ceil', number => number.ceil()),
  trunc: rounding('trunc', number => number.trunc()),
  fix: rounding('fix', number => number.trunc()),
  round: {
    minimum: 1,
    maximum: 2,
    usage: 'round(x) or round(x, places)',
    apply: ([x, n], context) => roundTo(x!, n, context),
  },
  sqrt: { minimum: 1, maximum: 1, usage: 'sqrt(x)', apply: ([x], context) => rootOf(x!, 2, context) },
  cbrt: { minimum: 1, maximum: 1, usage: 'cbrt(x)', apply: ([x], context) => rootOf(x!, 3, context) },
  min: overList('min(a, b, ...)', extreme(-1)),
  max: overList('max(a, b, ...)', extreme(1)),
  sum: overList('sum(a, b, ...)', sum),
  mean: overList('mean(a, b, ...)', mean),
  average: overList('average(a, b, ...)', mean),
  avg: overList('avg(a, b, ...)', mean),
  median: overList('median(a, b, ...)', median),
  std: overList('std(a, b, ...)', (values, context) => {
    context.notes.add(
      'std is the sample standard deviation (divided by n - 1); write stdp for the population.',
    )
    return deviation(values, context, 1)
  }),
  stdp: overList('stdp(a, b, ...)', (values, context) => deviation(values, context, 0)),
  hypot: overList('hypot(a, b, ...)', hypotenuse),
  product: { minimum: 1, maximum: 300, usage: 'product(a, b, ...)', apply: product },
}
