import { ToolError } from '../tool.ts'
import { type Arithmetic, BigNumber, Coarse, digitsOf, type Numbers, ONE, RIGHT_ANGLE } from './arithmetic.ts'
import { merge, raise } from './products.ts'
import { align, bare, combine, plain, power, type Quantity, radiansOf, root } from './quantity.ts'
import { combinations, gcd, lcm, MOST_DIGITS, permutations, whole } from './whole-numbers.ts'

/** A function's implementation. `name` is for error messages. */
type Apply = (math: Arithmetic, args: readonly Quantity[], name: string) => Quantity

type List = readonly BigNumber[]
type OnNumbers = (math: Arithmetic, values: Numbers, name: string) => BigNumber

const [TWO, TEN] = [new BigNumber(2), new BigNumber(10)]
/** Refuses larger angles, which leave too few digits for the fraction of a turn. */
const LARGEST_ANGLE = 1e15
const [LARGEST_DEGREE, MOST_ARGUMENTS] = [1000, 300]
/** Beyond this exp() leaves the range of doubles and mathjs takes seconds. */
const FAR = 1000

/** A function of unitless numbers. */
function numeric(apply: OnNumbers): Apply {
  return (math, args, name) =>
    bare(apply(math, args.map(arg => plain(math, arg, name)) as unknown as Numbers, name))
}

/** A function of quantities with the same dimensions; the result has the units of the first, to this power. */
function alike(apply: OnNumbers, power = 1): Apply {
  return (math, [given, ...rest], name) => {
    const join = (left: Quantity, right: Quantity) => align(math, `take ${name} of`, left, right)
    const first = rest.reduce((head, one) => join(head, one)[0], given!)
    const others = rest.map(one => join(first, one)[1].number)
    const number = apply(math, [first.number, ...others] as unknown as Numbers, name)
    return { number, units: merge(raise(first.units, power)) }
  }
}

/** A mathjs function at 26 digits. */
function coarse(apply: (x: BigNumber) => BigNumber, domain?: string): Apply {
  return numeric((math, [given], name) =>
    math.coarse(300, math.tidy(given), x => {
      const y = apply(x)
      if (domain === undefined || y.isFinite()) return y
      throw new ToolError(`${name} is only defined for numbers ${domain}; elsewhere its result is not real.`)
    }),
  )
}

/** Rounds for functions that are slow on long numbers, and keeps exp() in the range of doubles. */
const brief = (x: BigNumber) => x.clampedTo(-FAR, FAR).toSignificantDigits(Coarse.precision)
/** Away from 1 the first digits suffice. */
const ln = (x: BigNumber) => (Math.abs(x.e) > 1 ? x.toSignificantDigits(60) : x).ln()
const log1p = (x: BigNumber) => (x.e < -30 ? x : new Coarse(BigNumber.add(x, 1)).ln())
const hypotenuse = (x: BigNumber) => x.times(x).plus(1).sqrt()
const asinh = (x: BigNumber) => log1p(x.times(x).div(hypotenuse(x).plus(1)).plus(x.abs())).times(x.s)

/** The angle of the point (x, y) in radians. */
const direction: OnNumbers = (math, [y, x], name) => {
  if (y.isZero() && x.isZero()) throw new ToolError('atan2(0, 0) is undefined: it has no direction.')
  math.notes.add(`${name} gives radians; write "${name}(...) to deg" for degrees.`)
  return math.coarse(400, math.settle(math.tidy(y), digitsOf(x)), one => Coarse.atan2(one, x))
}

/** asin(x) or acos(x), by the point on the unit circle with this height or width. */
function onCircle(point: (x: BigNumber, rest: BigNumber) => Numbers): Apply {
  return numeric((math, [x], name) => {
    const square = math.multiply(math.add(ONE, x), math.subtract(ONE, x))
    if (square.gte(0)) return direction(math, point(x, math.root(square, 2)), name)
    throw new ToolError(`${name} is only defined for numbers from -1 to 1; elsewhere its result is not real.`)
  })
}

/** A ratio of any two of sine, cosine and 1. */
function trigonometric(ratio: (sine: BigNumber, cosine: BigNumber) => Numbers): Apply {
  return (math, [angle], name) => {
    const radians = radiansOf(math, angle!, name)
    if (radians.abs().gte(LARGEST_ANGLE))
      throw new ToolError(`${name} takes angles up to 1e15: beyond that its result would be meaningless.`)
    const quarters = radians.div(RIGHT_ANGLE).round()
    const rest = math.subtract(radians, math.multiply(RIGHT_ANGLE, quarters), false)
    let sine = math.coarse(150, rest, x => brief(x).sin())
    let cosine = math.coarse(150, rest, x => brief(x).cos())
    for (let turns = quarters.mod(4).toNumber() & 3; turns > 0; turns--)
      [cosine, sine] = [math.negate(sine), cosine]
    const [above, below] = ratio(sine, cosine)
    if (below.isZero()) throw new ToolError(`${name} is not defined at this angle: it is infinite there.`)
    return bare(math.divide(above, below))
  }
}

function log(math: Arithmetic, values: List, name: string): BigNumber {
  const [value, base] = values
  if (!value!.gt(0)) throw new ToolError(`${name} is only defined for numbers above 0.`)
  if (base && (!base.gt(0) || base.eq(1)))
    throw new ToolError('The base of a logarithm must be above 0 and not 1: log(x, base).')
  if (name === 'log' && !base)
    math.notes.add('log(x) is the natural logarithm here; write log10(x) or log(x, 10) for base 10.')
  const [above, below] = values.map(one => math.coarse(150, math.tidy(one), ln))
  if (!base) return above!
  const ratio = math.divide(above!, below!)
  const near = ratio.round()
  const isPower = value!.known === base.known && near.abs().lt(1e4) && math.power(base, near).eq(value!)
  return isPower ? near : ratio
}

/** Rounds half away from zero: round(2.5) is 3, round(-2.5) is -3. */
function round(math: Arithmetic, [value, places]: readonly Quantity[], name: string): Quantity {
  const unit = TEN.pow(places ? -whole(math, name, plain(math, places, name), -100, 100) : 0)
  return { ...value!, number: math.nearest(value!.number, unit, 4) }
}

const sum = (math: Arithmetic, all: List) => all.reduce((left, right) => math.add(left, right))
const mean = (math: Arithmetic, all: List) => math.divide(sum(math, all), new BigNumber(all.length))
const squares = (math: Arithmetic, all: List) => all.map(one => math.multiply(one, one))

function median(math: Arithmetic, values: List): BigNumber {
  const sorted = values.toSorted((left, right) => left.cmp(right))
  const middle = sorted.length / 2
  return mean(math, sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1))
}

/** Variance of a population for `less` 0, of a sample (n - 1) for 1. */
function variance(less: 0 | 1): Apply {
  return alike((math, values, name) => {
    if (values.length <= less) throw new ToolError(`${name} needs at least two numbers.`)
    if (less === 1)
      math.notes.add(`${name} is that of a sample (divides by n - 1); use ${name}p for a whole population.`)
    const center = mean(math, values)
    const distances = values.map(value => math.subtract(value, center))
    return math.divide(sum(math, squares(math, distances)), new BigNumber(values.length - less))
  }, 2)
}

/** Remainder with the sign of the divisor: mod(-7, 3) is 2. */
export const remainder = alike((math, [left, right]) => {
  if (right.isZero()) throw new ToolError('Division by zero: a remainder modulo 0 is undefined.')
  const quotient = math.divide(left, right)
  if (left.e - right.e >= Math.min(MOST_DIGITS, digitsOf(quotient) - 8))
    throw new ToolError('The remainder is not exact: the first number is too large compared with the second.')
  return math.subtract(left, math.multiply(math.nearest(quotient, ONE, 3), right))
})

export const factorial = numeric(permutations)
/** By signature: `?` marks an optional argument, `...` any number more. */
const TABLE: Record<string, Apply> = {
  'abs(x)': alike((math, [x]) => (x.lt(0) ? math.negate(x) : x)),
  'sign(x)': (_, [x]) => bare(new BigNumber(x!.number.cmp(0))),
  'floor(x)': alike((math, [x]) => math.nearest(x, ONE, 3)),
  'ceil(x)': alike((math, [x]) => math.nearest(x, ONE, 2)),
  'trunc(x)': alike((math, [x]) => math.nearest(x, ONE, 1)),
  'round(x, places?)': round,
  'sqrt(x)': (math, [x]) => root(math, x!, 2),
  'cbrt(x)': (math, [x]) => root(math, x!, 3),
  'nthRoot(x, n?)': (math, [x, n = bare(TWO)], name) =>
    root(math, x!, whole(math, name, plain(math, n, name), 1, LARGEST_DEGREE)),
  'min(a, ...)': alike((_, values) => values.reduce((least, one) => (one.lt(least) ? one : least))),
  'max(a, ...)': alike((_, values) => values.reduce((most, one) => (one.gt(most) ? one : most))),
  'sum(a, ...)': alike(sum),
  'product(a, ...)': (math, args) => args.reduce((left, right) => combine(math, left, right, 1)),
  'mean(a, ...)': alike(mean),
  'median(a, ...)': alike(median),
  'std(a, ...)': (math, args, name) => root(math, variance(1)(math, args, name), 2),
  'stdp(a, ...)': (math, args, name) => root(math, variance(0)(math, args, name), 2),
  'variance(a, ...)': variance(1),
  'variancep(a, ...)': variance(0),
  'hypot(a, ...)': alike((math, values) => math.root(sum(math, squares(math, values)), 2)),
  'pow(x, y)': (math, [x, y]) => power(math, x!, y!),
  'exp(x)': coarse(x => brief(x).exp()),
  'expm1(x)': coarse(x => brief(x).div(2).tanh().times(brief(x).exp().plus(1))),
  'ln(x)': numeric((math, [x], name) => log(math, [x], name)),
  'log(x, base?)': numeric(log),
  'log10(x)': numeric((math, [x], name) => log(math, [x, TEN], name)),
  'log2(x)': numeric((math, [x], name) => log(math, [x, TWO], name)),
  'log1p(x)': coarse(log1p, 'above -1'),
  'sin(angle)': trigonometric(sine => [sine, ONE]),
  'cos(angle)': trigonometric((_, cosine) => [cosine, ONE]),
  'tan(angle)': trigonometric((sine, cosine) => [sine, cosine]),
  'sec(angle)': trigonometric((_, cosine) => [ONE, cosine]),
  'csc(angle)': trigonometric(sine => [ONE, sine]),
  'cot(angle)': trigonometric((sine, cosine) => [cosine, sine]),
  'asin(x)': onCircle((x, rest) => [x, rest]),
  'acos(x)': onCircle((x, rest) => [rest, x]),
  'atan(x)': numeric((math, [x], name) => direction(math, [x, ONE], name)),
  'atan2(y, x)': (math, args, name) => bare(alike(direction)(math, args, name).number),
  'sinh(x)': coarse(x => brief(x).sinh()),
  'cosh(x)': coarse(x => brief(x).cosh()),
  'tanh(x)': coarse(x => brief(x).tanh()),
  'asinh(x)': coarse(asinh),
  'acosh(x)': coarse(x => asinh(x.minus(1).div(2).sqrt()).times(2), 'from 1 up'),
  'atanh(x)': coarse(x => x.atanh(), 'between -1 and 1'),
  'factorial(n)': factorial,
  'permutations(n, k?)': numeric(permutations),
  'combinations(n, k)': numeric(combinations),
  'gcd(a, b, ...)': alike(gcd),
  'lcm(a, b, ...)': alike(lcm),
  'mod(a, b)': remainder,
}

/** What a name before a parenthesis calls. */
export type Callee = ReturnType<typeof readSignature>[1]

function readSignature([signature, apply]: [string, Apply]) {
  const [, name = '', list = ''] = /(\w+)\((.*)\)/.exec(signature) ?? []
  const all = list.split(', ')
  const required = all.filter(one => !/[?.]/.test(one))
  const short = list.includes('?') ? `${name}(${required.join(', ')}) or ` : ''
  const usage = `${short}${signature.replace('?', '')}`
  const maximum = list.includes('...') ? MOST_ARGUMENTS : all.length
  const callee = { kind: 'function', name, usage, minimum: required.length, maximum, apply } as const
  return [name.toLowerCase(), callee] as const
}

/** By lower-case name. */
export const FUNCTIONS: ReadonlyMap<string, Callee> = new Map(Object.entries(TABLE).map(readSignature))
