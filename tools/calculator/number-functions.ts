import { ToolError } from '../tool.ts'
import type { Real } from './decimals.ts'
import { type CalculatorFunction, type CallContext, numeric, whole } from './function.ts'

/** Roots up to this degree are taken. */
const LARGEST_DEGREE = 1000

/** base to any real exponent; whole exponents stay in decimal arithmetic. */
export function power(context: CallContext, base: Real, exponent: Real): Real {
  const { arithmetic } = context
  const tidy = arithmetic.tidy(exponent)
  if (tidy.number.isInteger()) {
    if (tidy.number.abs().lte(1e9)) return arithmetic.wholePower(base, tidy.number.toNumber())
    if (base.number.isZero() || base.number.abs().eq(1))
      return arithmetic.wholePower(
        base,
        tidy.number.modulo(2).abs().toNumber() + 2 * (tidy.number.s > 0 ? 1 : -1),
      )
    throw new ToolError('The exponent is too large: it may be at most 1,000,000,000.')
  }
  if (base.number.isZero() && tidy.number.isNegative())
    throw new ToolError('Division by zero: 0 to a negative power is undefined.')
  if (base.number.isNegative() && !base.number.isZero())
    throw new ToolError(
      'A negative number to a fractional power is not real (it is complex). ' +
        'For an odd root of a negative number use cbrt(x) or nthRoot(x, n).',
    )
  if (tidy.number.times(2).eq(1)) return arithmetic.squareRoot(base)
  return fromPositive(context, arithmetic.toDouble(base) ** arithmetic.toDouble(tidy), base)
}

function root(context: CallContext, value: Real, degree: Real): Real {
  const { arithmetic } = context
  const n = whole(context, degree, 1, LARGEST_DEGREE)
  if (n === 2) return arithmetic.squareRoot(value)
  const negative = value.number.isNegative() && !value.number.isZero()
  if (negative && n % 2 === 0)
    throw new ToolError('An even root of a negative number is not real. Only real results are supported.')
  if (value.number.isZero()) return value
  const size = arithmetic.toDouble(value)
  const magnitude = n === 3 ? Math.abs(Math.cbrt(size)) : Math.abs(size) ** (1 / n)
  const near = arithmetic.from((negative ? -magnitude : magnitude).toPrecision(14))
  // A root that is a short decimal is proved by raising it again.
  if (value.accuracy === 'exact' && arithmetic.wholePower(near, n).number.eq(value.number)) return near
  return arithmetic.fromDouble(negative ? -magnitude : magnitude)
}

/** Log to a base given by its double-precision function; exact where the argument is a whole power of the base. */
function logarithm(context: CallContext, value: Real, base: Real, double: (value: number) => number): Real {
  const { arithmetic } = context
  if (!value.number.gt(0))
    throw new ToolError(
      `${context.name} is defined for numbers above 0 only, not ${value.number.isZero() ? '0' : 'negative ones'}.`,
    )
  arithmetic.spend(5)
  // Beyond the range of doubles the power of ten is taken out first.
  const shift = Math.abs(value.number.e) > 300 ? value.number.e : 0
  const mantissa =
    shift === 0 ? value : arithmetic.divide(value, arithmetic.wholePower(arithmetic.from(10), shift))
  const result = double(arithmetic.toDouble(mantissa)) + shift * double(10)
  const near = Math.round(result)
  if (value.accuracy === 'exact' && base.accuracy === 'exact' && Math.abs(result - near) < 1e-9) {
    if (arithmetic.wholePower(base, near).number.eq(value.number)) return arithmetic.from(near)
  }
  return arithmetic.fromDouble(result)
}

function log(context: CallContext, value: Real, base?: Real): Real {
  if (base === undefined) {
    context.notes.add('log(x) is the natural logarithm here; write log10(x) or log(x, 10) for base 10.')
    return naturalLog(context, value)
  }
  if (!base.number.gt(0) || base.number.eq(1))
    throw new ToolError('The base of a logarithm must be above 0 and not 1: log(x, base).')
  const size = context.arithmetic.toDouble(base)
  if (size === 10 || size === 2) return logarithm(context, value, base, size === 2 ? Math.log2 : Math.log10)
  const scale = Math.log(size)
  return logarithm(context, value, base, x => Math.log(x) / scale)
}

function naturalLog(context: CallContext, value: Real): Real {
  if (value.number.eq(1)) return context.arithmetic.from(0)
  const inexactBase = { number: value.number, accuracy: 'double' } as const
  return logarithm(context, value, inexactBase, Math.log)
}

function toBase(base: 2 | 10) {
  return (context: CallContext, value: Real) => log(context, value, context.arithmetic.from(base))
}

/** A function of one double; `domain` says what arguments it takes. */
function double(
  name: string,
  apply: (x: number) => number,
  domain?: [test: (x: number) => boolean, says: string],
) {
  return numeric(`${name}(x)`, 1, 1, (context, value) => {
    const x = context.arithmetic.toDouble(context.arithmetic.tidy(value))
    if (domain !== undefined && !domain[0](x))
      throw new ToolError(`${name} is defined for ${domain[1]} only.`)
    if (x === 0 && apply(0) % 1 === 0) return context.arithmetic.from(apply(0))
    return fromPositive(context, apply(x), value)
  })
}

/** A floating-point result of 0 for an argument that is not 0 has underflowed. */
function fromPositive(context: CallContext, result: number, argument: Real): Real {
  if (result === 0 && !argument.number.isZero())
    throw new ToolError('Underflow: a result is closer to zero than about 5e-324. Work with logarithms.')
  return context.arithmetic.fromDouble(result)
}

/** Powers, roots, logarithms and hyperbolic functions of bare numbers. */
export const NUMBER_FUNCTIONS: Readonly<Record<string, CalculatorFunction>> = {
  pow: numeric('pow(x, y)', 2, 2, power),
  nthRoot: numeric('nthRoot(x, n)', 1, 2, (context, x, n) =>
    root(context, x, n ?? context.arithmetic.from(2)),
  ),
  root: numeric('root(x, n)', 2, 2, root),
  exp: double('exp', Math.exp),
  expm1: double('expm1', Math.expm1),
  ln: numeric('ln(x)', 1, 1, naturalLog),
  log: numeric('log(x) or log(x, base)', 1, 2, log),
  log10: numeric('log10(x)', 1, 1, toBase(10)),
  lg: numeric('lg(x)', 1, 1, toBase(10)),
  log2: numeric('log2(x)', 1, 1, toBase(2)),
  log1p: double('log1p', Math.log1p, [x => x > -1, 'numbers above -1']),
  sinh: double('sinh', Math.sinh),
  cosh: double('cosh', Math.cosh),
  tanh: double('tanh', Math.tanh),
  asinh: double('asinh', Math.asinh),
  acosh: double('acosh', Math.acosh, [x => x >= 1, 'numbers from 1 up']),
  atanh: double('atanh', Math.atanh, [x => Math.abs(x) < 1, 'numbers between -1 and 1']),
}
/** nthRoot(x, 3), for cbrt of quantities as well. */
export { root }
