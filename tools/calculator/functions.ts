import { ToolError } from '../tool.ts'
import { type Arithmetic, atan2, ONE, PI, TEN, TWO, ZERO } from './arithmetic.ts'
import { BigNumber } from './parser.ts'
import { combine, root } from './products.ts'
import { align, bare, plain, type Quantity, radiansOf, refuseScale } from './quantity.ts'
import { combinations, gcd, lcm, permutations, whole } from './whole-numbers.ts'

/** A function's implementation; names.ts checks the argument count. `name` is for error messages. */
type Apply = (math: Arithmetic, args: readonly Quantity[], name: string) => Quantity

type Step = (math: Arithmetic, name: string, x: BigNumber, ...more: BigNumber[]) => BigNumber

/** Refuses larger angles, which leave too few digits for the fraction of a turn. */
const LARGEST_ANGLE = 1e15
const LARGEST_DEGREE = 1000
/** Beyond this exp() leaves the range of doubles and mathjs takes seconds, as for asinh() of huge or tiny values. */
const FAR = 1000

/** A function of unitless numbers. */
function numeric(step: Step): Apply {
  return (math, args, name) => {
    const [first = ONE, ...more] = args.map(arg => plain(arg, name))
    return bare(step(math, name, first, ...more))
  }
}

/** A function of one quantity that keeps its units. */
function keeping(apply: (math: Arithmetic, value: BigNumber) => BigNumber): Apply {
  return (math, [value]) => ({ ...value!, number: apply(math, value!.number) })
}

/** A function of quantities with the same dimensions, converted to the units of the first. */
function overList(apply: (math: Arithmetic, values: BigNumber[], name: string) => BigNumber): Apply {
  return (math, [first, ...rest], name) => {
    refuseScale(first!)
    const values = rest.map(value => align(math, `take ${name} of`, first!, value)[1].number)
    return { ...first!, number: apply(math, [first!.number, ...values], name) }
  }
}

/** A mathjs function at 26 digits. */
function coarse(apply: (x: BigNumber) => BigNumber, domain = '', inRadians = false): Apply {
  return numeric((math, name, value) => {
    if (inRadians) noteRadians(math, name)
    return math.coarse(300, math.tidy(value), x => {
      const y = apply(x)
      if (y.isFinite()) return y
      throw new ToolError(`${name} is defined for numbers ${domain} only; outside there is no real result.`)
    })
  })
}

function noteRadians(math: Arithmetic, name: string): void {
  math.notes.add(`${name} gives radians; write "${name}(...) to deg" for degrees.`)
}

type Ratio = (sine: BigNumber, cosine: BigNumber) => [above: BigNumber, below: BigNumber]

/** A ratio of any two of sine, cosine and 1. */
function trigonometric(ratio: Ratio): Apply {
  return (math, [angle], name) => {
    const radians = radiansOf(math, angle!, name)
    if (radians.abs().gte(LARGEST_ANGLE))
      throw new ToolError(`${name} takes angles up to 1e15: beyond that the result is not meaningful.`)
    const rest = radians.abs().lt(7) ? radians : radians.mod(PI.times(2))
    // Below the rounding error of its angle, a sine is 0.
    const noise = TEN.pow(Math.max(radians.e, 0) - 22)
    const clean = (value: BigNumber) => (rest.abs().gt(0.1) && value.abs().lt(noise) ? ZERO : value)
    const sine = clean(math.coarse(150, rest, x => x.sin()))
    const [above, below] = ratio(sine, clean(math.coarse(150, rest, x => x.cos())))
    if (below.isZero()) throw new ToolError(`${name} is not defined at this angle: it is infinite there.`)
    return bare(math.divide(above, below))
  }
}

function log(math: Arithmetic, name: string, value: BigNumber, base?: BigNumber): BigNumber {
  const given = value.isZero() ? '0' : 'negative ones'
  if (!value.gt(0)) throw new ToolError(`${name} is defined for numbers above 0 only, not ${given}.`)
  if (base !== undefined && (!base.gt(0) || base.eq(1)))
    throw new ToolError('The base of a logarithm must be above 0 and not 1: log(x, base).')
  const [above, below] = [value, base].map(one => one && math.coarse(150, one, x => x.ln()))
  return below === undefined ? above! : math.divide(above!, below)
}

/** Rounds half away from zero: round(2.5) is 3, round(-2.5) is -3. */
function round(math: Arithmetic, [value, places]: readonly Quantity[], name: string): Quantity {
  const { number, units } = value!
  const digits = places === undefined ? 0 : whole(math, name, plain(places, name), -100, 100)
  const scale = math.power(TEN, new BigNumber(digits))
  const twice = math.tidy(math.multiply(math.multiply(number.abs(), scale), TWO))
  const rounded = math.divide(math.add(twice, ONE), TWO).floor()
  return { number: math.divide(number.lt(0) ? rounded.neg() : rounded, scale), units }
}

const sum = (math: Arithmetic, values: BigNumber[]) => values.reduce((total, value) => math.add(total, value))
const mean = (math: Arithmetic, all: BigNumber[]) => math.divide(sum(math, all), new BigNumber(all.length))
const squares = (math: Arithmetic, all: BigNumber[]) =>
  sum(
    math,
    all.map(one => math.multiply(one, one)),
  )

function median(math: Arithmetic, values: BigNumber[]): BigNumber {
  const sorted = values.toSorted((left, right) => left.cmp(right))
  const middle = sorted.length / 2
  return mean(math, sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1))
}

/** Standard deviation: population for `less` 0, sample (n - 1) for 1. */
function deviation(less: 0 | 1): Apply {
  return overList((math, values, name) => {
    if (values.length <= less) throw new ToolError(`${name} needs at least two numbers.`)
    if (less === 1)
      math.notes.add('std is of a sample (divided by n - 1); write stdp for that of the population.')
    const center = mean(math, values)
    const distances = values.map(value => math.add(value, center.neg()))
    return math.root(math.divide(squares(math, distances), new BigNumber(values.length - less)), 2)
  })
}

/** Remainder with the sign of the divisor: mod(-7, 3) is 2. */
export function remainder(math: Arithmetic, left: BigNumber, right: BigNumber): BigNumber {
  if (right.isZero()) throw new ToolError('Division by zero: a remainder modulo 0 is undefined.')
  const quotient = math.divide(left, right)
  if (quotient.e >= Math.min(60, math.digits - 8))
    throw new ToolError('The remainder is not exact: the first number is too large beside the second.')
  return math.add(left, math.multiply(math.tidy(quotient).floor(), right).neg())
}

const TABLE: Record<string, Apply> = {
  abs: keeping((_, x) => x.abs()),
  sign: (_, [x]) => bare(new BigNumber(x!.number.cmp(0))),
  floor: keeping((math, x) => math.tidy(x).floor()),
  ceil: keeping((math, x) => math.tidy(x).ceil()),
  trunc: keeping((math, x) => math.tidy(x).trunc()),
  round,
  sqrt: (math, [x]) => root(math, x!, 2),
  cbrt: (math, [x]) => root(math, x!, 3),
  nthRoot: numeric((math, name, x, n = TWO) => math.root(x, whole(math, name, n, 1, LARGEST_DEGREE))),
  pow: numeric((math, _, x, y) => math.power(x, y!)),
  ln: numeric((math, name, x) => log(math, name, x)),
  log10: numeric((math, name, x) => log(math, name, x, TEN)),
  log2: numeric((math, name, x) => log(math, name, x, TWO)),
  log: numeric((math, name, x, base) => {
    if (base === undefined)
      math.notes.add('log(x) is the natural logarithm here; write log10(x) or log(x, 10) for base 10.')
    return log(math, name, x, base)
  }),
  log1p: coarse(x => x.div(x.plus(2)).atanh().times(2), 'above -1'),
  exp: coarse(x => x.clampedTo(-FAR, FAR).exp()),
  expm1: coarse(x => {
    const half = x.clampedTo(-FAR, FAR).div(2)
    return half.sinh().times(2).times(half.exp())
  }),
  sin: trigonometric(sine => [sine, ONE]),
  cos: trigonometric((_, cosine) => [cosine, ONE]),
  tan: trigonometric((sine, cosine) => [sine, cosine]),
  sec: trigonometric((_, cosine) => [ONE, cosine]),
  csc: trigonometric(sine => [ONE, sine]),
  cot: trigonometric((sine, cosine) => [cosine, sine]),
  asin: coarse(x => x.asin(), 'from -1 to 1', true),
  acos: coarse(x => x.acos(), 'from -1 to 1', true),
  atan: coarse(x => x.atan(), '', true),
  atan2: numeric((math, name, y, x) => {
    if (y.isZero() && x!.isZero()) throw new ToolError('atan2(0, 0) is undefined: it has no direction.')
    noteRadians(math, name)
    return math.coarse(400, y, one => atan2(one, x!))
  }),
  sinh: coarse(x => x.clampedTo(-FAR, FAR).sinh()),
  cosh: coarse(x => x.clampedTo(-FAR, FAR).cosh()),
  tanh: coarse(x => x.clampedTo(-FAR, FAR).tanh()),
  asinh: coarse(x => (Math.abs(x.e) < 15 ? x.asinh() : x.e < 0 ? x : x.abs().times(2).ln().times(x.s))),
  acosh: coarse(x => (x.e < 15 ? x.acosh() : x.times(2).ln()), 'from 1 up'),
  atanh: coarse(x => x.atanh(), 'between -1 and 1'),
  min: overList((_, values) => values.reduce((best, value) => (value.lt(best) ? value : best))),
  max: overList((_, values) => values.reduce((best, value) => (value.gt(best) ? value : best))),
  sum: overList(sum),
  product: (math, args) => args.reduce((left, right) => combine(math, left, right, 1)),
  mean: overList(mean),
  median: overList(median),
  std: deviation(1),
  stdp: deviation(0),
  hypot: overList((math, values) => math.root(squares(math, values), 2)),
  gcd: numeric(gcd),
  lcm: numeric(lcm),
  mod: numeric((math, _, a, b) => remainder(math, a, b!)),
  factorial: numeric((math, name, n) => permutations(math, name, n)),
  permutations: numeric(permutations),
  combinations: numeric((math, name, n, k) => combinations(math, name, n, k!)),
}

export const FUNCTIONS: ReadonlyMap<string, Apply> = new Map(Object.entries(TABLE))
