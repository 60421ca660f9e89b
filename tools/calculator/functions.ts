import { ToolError } from '../tool.ts'
import { type Arithmetic, BigNumber, Coarse, ONE, PI, TEN, TWO, ZERO } from './arithmetic.ts'
import { align, bare, combine, plain, power, type Quantity, radiansOf, root } from './quantity.ts'
import { combinations, gcd, lcm, permutations, whole } from './whole-numbers.ts'

/** A function's implementation. `name` is for error messages. */
type Apply = (math: Arithmetic, args: readonly Quantity[], name: string) => Quantity

type Step = (math: Arithmetic, name: string, x: BigNumber, ...more: BigNumber[]) => BigNumber

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
function round(math: Arithmetic, [value, places = bare(ZERO)]: readonly Quantity[], name: string): Quantity {
  const unit = TEN.pow(-whole(math, name, plain(math, places, name), -100, 100))
  math.spend(20)
  return { ...value!, number: value!.number.toSignificantDigits(math.digits).toNearest(unit, 4) }
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
    const distances = values.map(value => math.add(value, center.neg()))
    return math.root(math.divide(sum(math, squares(math, distances)), new BigNumber(values.length - less)), 2)
  })
}

function direction(math: Arithmetic, [y = ZERO, x = ZERO]: BigNumber[]): BigNumber {
  if (y.isZero() && x.isZero()) throw new ToolError('atan2(0, 0) is undefined: it has no direction.')
  return math.coarse(400, y, one => Coarse.atan2(one, x))
}

/** Remainder with the sign of the divisor: mod(-7, 3) is 2. */
export const remainder = overList((math, [left = ZERO, right = ZERO]) => {
  if (right.isZero()) throw new ToolError('Division by zero: a remainder modulo 0 is undefined.')
  const quotient = math.divide(left, right)
  if (quotient.e >= Math.min(60, math.digits - 8))
    throw new ToolError('The remainder is not exact: the first number is too large beside the second.')
  return math.add(left, math.multiply(math.tidy(quotient).floor(), right).neg())
})

export const factorial = numeric((math, name, n) => permutations(math, name, n))

/** By signature: `?` marks an optional argument, `...` any number more. */
const TABLE: Record<string, Apply> = {
  'abs(x)': keeping((_, x) => x.abs()),
  'sign(x)': (_, [x]) => bare(new BigNumber(x!.number.cmp(0))),
  'floor(x)': keeping((math, x) => math.tidy(x).floor()),
  'ceil(x)': keeping((math, x) => math.tidy(x).ceil()),
  'trunc(x)': keeping((math, x) => math.tidy(x).trunc()),
  'round(x, places?)': round,
  'sqrt(x)': (math, [x]) => root(math, x!, 2),
  'cbrt(x)': (math, [x]) => root(math, x!, 3),
  'nthRoot(x, n?)': (math, [x, n = bare(TWO)], name) =>
    root(math, x!, whole(math, name, plain(math, n, name), 1, LARGEST_DEGREE)),
  'min(a, ...)': overList((_, values) => BigNumber.min(...values)),
  'max(a, ...)': overList((_, values) => BigNumber.max(...values)),
  'sum(a, ...)': overList(sum),
  'product(a, ...)': (math, args) => args.reduce((left, right) => combine(math, left, right, 1)),
  'mean(a, ...)': overList(mean),
  'median(a, ...)': overList(median),
  'std(a, ...)': deviation(1),
  'stdp(a, ...)': deviation(0),
  'hypot(a, ...)': overList((math, values) => math.root(sum(math, squares(math, values)), 2)),
  'pow(x, y)': (math, [x, y]) => power(math, x!, y!),
  'exp(x)': coarse(x => x.clampedTo(-FAR, FAR).exp()),
  'expm1(x)': coarse(x => {
    const half = x.clampedTo(-FAR, FAR).div(2)
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
  'log1p(x)': coarse(x => x.div(x.plus(2)).atanh().times(2), 'above -1'),
  'sin(angle)': trigonometric(sine => [sine, ONE]),
  'cos(angle)': trigonometric((_, cosine) => [cosine, ONE]),
  'tan(angle)': trigonometric((sine, cosine) => [sine, cosine]),
  'sec(angle)': trigonometric((_, cosine) => [ONE, cosine]),
  'csc(angle)': trigonometric(sine => [ONE, sine]),
  'cot(angle)': trigonometric((sine, cosine) => [cosine, sine]),
  'asin(x)': coarse(x => x.asin(), 'from -1 to 1', true),
  'acos(x)': coarse(x => x.acos(), 'from -1 to 1', true),
  'atan(x)': coarse(x => x.atan(), '', true),
  'atan2(y, x)': (math, args, name) => {
    noteRadians(math, name)
    return bare(overList(direction)(math, args, name).number)
  },
  'sinh(x)': coarse(x => x.clampedTo(-FAR, FAR).sinh()),
  'cosh(x)': coarse(x => x.clampedTo(-FAR, FAR).cosh()),
  'tanh(x)': coarse(x => x.clampedTo(-FAR, FAR).tanh()),
  'asinh(x)': coarse(x => (Math.abs(x.e) < 15 ? x.asinh() : x.e < 0 ? x : x.abs().times(2).ln().times(x.s))),
  'acosh(x)': coarse(x => (x.e < 15 ? x.acosh() : x.times(2).ln()), 'from 1 up'),
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
