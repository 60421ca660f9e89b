import { ToolError } from '../tool.ts'
import {
  type Arithmetic,
  BigNumber,
  Coarse,
  digitsBesideOne,
  digitsOf,
  ONE,
  PI,
  TEN,
  TWO,
  trusted,
  ZERO,
} from './arithmetic.ts'
import { align, bare, combine, plain, power, type Quantity, radiansOf, root } from './quantity.ts'
import { combinations, gcd, lcm, permutations, whole } from './whole-numbers.ts'

/** A function's implementation. `name` is for error messages. */
type Apply = (math: Arithmetic, args: readonly Quantity[], name: string) => Quantity

type Step = (math: Arithmetic, name: string, x: BigNumber, ...more: BigNumber[]) => BigNumber

const QUARTER = PI.div(2)
/** Refuses larger angles, which leave too few digits for the fraction of a turn. */
const LARGEST_ANGLE = 1e15
const LARGEST_DEGREE = 1000
const MOST_ARGUMENTS = 300
/** Beyond this exp() leaves the range of doubles and mathjs takes seconds, as for asinh() of huge or tiny values. */
const FAR = 1000

/** A function of unitless numbers. */
function numeric(step: Step): Apply {
  return (math, args, name) => {
    const [first = ONE, ...more] = args.map(arg => plain(math, arg, name))
    return bare(step(math, name, first, ...more))
  }
}

/** A function of one quantity that keeps its units. */
function keeping(apply: (math: Arithmetic, value: BigNumber) => BigNumber): Apply {
  return (math, [value]) => ({ ...value!, number: apply(math, value!.number) })
}

/** A function of quantities with the same dimensions; the result keeps the units of the first. */
function overList(apply: (math: Arithmetic, values: BigNumber[], name: string) => BigNumber): Apply {
  return (math, args, name) => {
    const join = (left: Quantity, right: Quantity) => align(math, `take ${name} of`, left, right)
    const first = args.reduce((head, one) => join(head, one)[0])
    const values = args.map(one => join(first, one)[1].number)
    return { ...first, number: apply(math, values, name) }
  }
}

/** A mathjs function at 26 digits; one with a bounded domain loses digits near 1, others in large numbers. */
function coarse(apply: (x: BigNumber) => BigNumber, domain = ''): Apply {
  return numeric((math, name, given) => {
    const x = math.tidy(given)
    const known = domain ? digitsBesideOne(x) : digitsOf(x) - Math.max(0, x.e)
    return math.coarse(300, x, known, one => {
      const y = apply(one)
      if (y.isFinite()) return y
      throw new ToolError(`${name} is defined for numbers ${domain} only; outside there is no real result.`)
    })
  })
}

/** Rounds for functions that are slow on long numbers, and keeps exp() in the range of doubles. */
const brief = (x: BigNumber) => x.clampedTo(-FAR, FAR).toSignificantDigits(Coarse.precision)

/** The angle of the point (x, y) in radians. */
function direction(math: Arithmetic, [y = ZERO, x = ZERO]: BigNumber[], name: string): BigNumber {
  if (y.isZero() && x.isZero()) throw new ToolError('atan2(0, 0) is undefined: it has no direction.')
  math.notes.add(`${name} gives radians; write "${name}(...) to deg" for degrees.`)
  return math.coarse(400, y, Math.min(digitsOf(y), digitsOf(x)), one => Coarse.atan2(one, x))
}

/** asin(x) or acos(x), by the point on the unit circle with this height or width. */
function onCircle(point: (x: BigNumber, rest: BigNumber) => BigNumber[]): Apply {
  return numeric((math, name, x) => {
    const square = math.multiply(math.add(ONE, x), math.subtract(ONE, x))
    if (square.gte(0)) return direction(math, point(x, math.root(square, 2)), name)
    throw new ToolError(`${name} is defined for numbers from -1 to 1 only; outside there is no real result.`)
  })
}

function arsinh(x: BigNumber): BigNumber {
  if (Math.abs(x.e) < 15) return x.toSignificantDigits(Coarse.precision).asinh()
  return x.e < 0 ? x : x.abs().times(2).ln().times(x.s)
}

type Ratio = (sine: BigNumber, cosine: BigNumber) => [above: BigNumber, below: BigNumber]

/** A ratio of any two of sine, cosine and 1. */
function trigonometric(ratio: Ratio): Apply {
  return (math, [angle], name) => {
    const radians = radiansOf(math, angle!, name)
    if (radians.abs().gte(LARGEST_ANGLE))
      throw new ToolError(`${name} takes angles up to 1e15: beyond that the result is not meaningful.`)
    const quarters = radians.div(QUARTER).round()
    const rest = math.add(radians, math.multiply(QUARTER, quarters.neg()))
    let [cosine, sine] = [
      math.coarse(150, rest, digitsOf(rest), x => brief(x).cos()),
      math.coarse(150, rest, digitsOf(rest), x => brief(x).sin()),
    ]
    for (let turns = quarters.mod(4).toNumber() & 3; turns > 0; turns--)
      [cosine, sine] = [math.negate(sine), cosine]
    const [above, below] = ratio(sine, cosine)
    if (below.isZero()) throw new ToolError(`${name} is not defined at this angle: it is infinite there.`)
    return bare(math.divide(above, below))
  }
}

function log(math: Arithmetic, name: string, value: BigNumber, base?: BigNumber): BigNumber {
  const given = value.isZero() ? '0' : 'negative ones'
  if (!value.gt(0)) throw new ToolError(`${name} is defined for numbers above 0 only, not ${given}.`)
  if (base !== undefined && (!base.gt(0) || base.eq(1)))
    throw new ToolError('The base of a logarithm must be above 0 and not 1: log(x, base).')
  const [above, below] = [value, base].map(given => {
    const one = given && math.tidy(given)
    return one && math.coarse(150, one, digitsBesideOne(one), x => x.ln())
  })
  return below === undefined ? above! : math.divide(above!, below)
}

/** Rounds half away from zero: round(2.5) is 3, round(-2.5) is -3. */
function round(math: Arithmetic, [value, places = bare(ZERO)]: readonly Quantity[], name: string): Quantity {
  const unit = TEN.pow(-whole(math, name, plain(math, places, name), -100, 100))
  math.spend(20)
  return { ...value!, number: trusted(value!.number).toNearest(unit, 4) }
}

const sum = (math: Arithmetic, values: BigNumber[]) => values.reduce((total, value) => math.add(total, value))
const mean = (math: Arithmetic, all: BigNumber[]) => math.divide(sum(math, all), new BigNumber(all.length))
const squares = (math: Arithmetic, all: BigNumber[]) => all.map(one => math.multiply(one, one))

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
    const distances = values.map(value => math.subtract(value, center))
    return math.root(math.divide(sum(math, squares(math, distances)), new BigNumber(values.length - less)), 2)
  })
}

/** Remainder with the sign of the divisor: mod(-7, 3) is 2. */
export const remainder = overList((math, [left = ZERO, right = ZERO]) => {
  if (right.isZero()) throw new ToolError('Division by zero: a remainder modulo 0 is undefined.')
  const quotient = math.divide(left, right)
  if (quotient.e >= Math.min(60, digitsOf(quotient) - 8))
    throw new ToolError('The remainder is not exact: the first number is too large beside the second.')
  return math.subtract(left, math.multiply(math.tidy(quotient).floor(), right))
})

export const factorial = numeric((math, name, n) => permutations(math, name, n))

/** By signature: `?` marks an optional argument, `...` any number more. */
const TABLE: Record<string, Apply> = {
  'abs(x)': keeping((math, x) => (x.lt(0) ? math.negate(x) : x)),
  'sign(x)': (_, [x]) => bare(new BigNumber(x!.number.cmp(0))),
  'floor(x)': keeping((math, x) => math.tidy(x).floor()),
  'ceil(x)': keeping((math, x) => math.tidy(x).ceil()),
  'trunc(x)': keeping((math, x) => math.tidy(x).trunc()),
  'round(x, places?)': round,
  'sqrt(x)': (math, [x]) => root(math, x!, 2),
  'cbrt(x)': (math, [x]) => root(math, x!, 3),
  'nthRoot(x, n?)': (math, [x, n = bare(TWO)], name) =>
    root(math, x!, whole(math, name, plain(math, n, name), 1, LARGEST_DEGREE)),
  'min(a, ...)': overList((_, values) => values.reduce((least, one) => (one.lt(least) ? one : least))),
  'max(a, ...)': overList((_, values) => values.reduce((most, one) => (one.gt(most) ? one : most))),
  'sum(a, ...)': overList(sum),
  'product(a, ...)': (math, args) => args.reduce((left, right) => combine(math, left, right, 1)),
  'mean(a, ...)': overList(mean),
  'median(a, ...)': overList(median),
  'std(a, ...)': deviation(1),
  'stdp(a, ...)': deviation(0),
  'hypot(a, ...)': overList((math, values) => math.root(sum(math, squares(math, values)), 2)),
  'pow(x, y)': (math, [x, y]) => power(math, x!, y!),
  'exp(x)': coarse(x => brief(x).exp()),
  'expm1(x)': coarse(x => {
    const half = brief(x).div(2)
    return half.sinh().times(2).times(half.exp())
  }),
  'ln(x)': numeric((math, name, x) => log(math, name, x)),
  'log(x, base?)': numeric((math, name, x, base) => {
    if (base === undefined)
      math.notes.add('log(x) is the natural logarithm here; write log10(x) or log(x, 10) for base 10.')
    return log(math, name, x, base)
  }),
  'log10(x)': numeric((math, name, x) => log(math, name, x, TEN)),
  'log2(x)': numeric((math, name, x) => log(math, name, x, TWO)),
  'log1p(x)': coarse(x => (x.e < -30 ? x : new Coarse(BigNumber.add(x, 1)).ln()), 'above -1'),
  'sin(angle)': trigonometric(sine => [sine, ONE]),
  'cos(angle)': trigonometric((_, cosine) => [cosine, ONE]),
  'tan(angle)': trigonometric((sine, cosine) => [sine, cosine]),
  'sec(angle)': trigonometric((_, cosine) => [ONE, cosine]),
  'csc(angle)': trigonometric(sine => [ONE, sine]),
  'cot(angle)': trigonometric((sine, cosine) => [cosine, sine]),
  'asin(x)': onCircle((x, rest) => [x, rest]),
  'acos(x)': onCircle((x, rest) => [rest, x]),
  'atan(x)': numeric((math, name, x) => direction(math, [x, ONE], name)),
  'atan2(y, x)': (math, args, name) => bare(overList(direction)(math, args, name).number),
  'sinh(x)': coarse(x => brief(x).sinh()),
  'cosh(x)': coarse(x => brief(x).cosh()),
  'tanh(x)': coarse(x => brief(x).tanh()),
  'asinh(x)': coarse(arsinh),
  'acosh(x)': coarse(x => arsinh(x.minus(1).div(2).sqrt()).times(2), 'from 1 up'),
  'atanh(x)': coarse(x => x.atanh(), 'between -1 and 1'),
  'factorial(n)': factorial,
  'permutations(n, k?)': numeric(permutations),
  'combinations(n, k)': numeric((math, name, n, k) => combinations(math, name, n, k!)),
  'gcd(a, b, ...)': overList(gcd),
  'lcm(a, b, ...)': overList(lcm),
  'mod(a, b)': remainder,
}

/** What a name before a parenthesis calls. */
export type Callee = ReturnType<typeof readSignature>

function readSignature([signature, apply]: [string, Apply]) {
  const [, name = '', list = ''] = /(\w+)\((.*)\)/.exec(signature) ?? []
  const all = list.split(', ')
  const required = all.filter(one => !/[?.]/.test(one))
  const short = list.includes('?') ? `${name}(${required.join(', ')}) or ` : ''
  const usage = `${short}${signature.replace('?', '')}`
  const maximum = list.includes('...') ? MOST_ARGUMENTS : all.length
  return { kind: 'function', name, usage, minimum: required.length, maximum, apply } as const
}

/** By lower-case name. */
export const FUNCTIONS: ReadonlyMap<string, Callee> = new Map(
  Object.entries(TABLE)
    .map(readSignature)
    .map(callee => [callee.name.toLowerCase(), callee]),
)
