import { ToolError } from '@agent-task-service/engine/tool'
import type { Decimal } from 'decimal.js'
import { type Arithmetic, Fraction, isWholeNumber, ONE, type Real, TEN, ZERO } from './arithmetic.ts'
import { align, dimensionless, type Quantity, radiansOf } from './quantity.ts'
import { mean, median, quantile, sum, variance } from './statistics.ts'

/** A function's arguments; its signature says how many there are at least. */
type Numbers = readonly [Real, Real, ...Real[]]
/** `name` is for messages. */
type Compute = (math: Arithmetic, values: Numbers, name: string) => Real

const [HALF, TWO] = [new Fraction(1, 2), new Fraction(2)]
const [LARGEST_DEGREE, MOST_ARGUMENTS] = [1000, 1001]
const [MOST_FACTORS, LARGEST_SET, LARGEST_DIVISOR] = [1000, 1e15, 1e200]
/** These take quantities of one kind, and their results have the unit of the first; all others take bare numbers. */
const OF_ONE_KIND = new Set('abs floor ceil trunc round min max sum mean median std stdp mod'.split(' '))

const rounded =
  (compute: (x: Decimal) => Decimal, cost = 1): Compute =>
  (math, [x]) =>
    math.apply(x, compute, cost)

function log(math: Arithmetic, values: readonly Real[], name: string): Real {
  const [value, base] = values as Numbers | [Real]
  if (math.sign(value) <= 0) throw new ToolError(`${name} is only defined for numbers above 0.`)
  if (base && (math.sign(base) <= 0 || math.compare(base, ONE) === 0))
    throw new ToolError('The base of a logarithm must be above 0 and not 1: log(x, base).')
  if (name === 'log' && !base)
    math.notes.add('log(x) is the natural logarithm here; write log10(x) or log(x, 10) for base 10.')
  const [above, below] = values.map(one => math.apply(one, x => x.ln()))
  if (!base) return above!
  const ratio = math.divide(above!, below!)
  const near = new Fraction(math.rounded(ratio).round().toNumber())
  const isPower = value instanceof Fraction && math.compare(math.power(base, near), value) === 0
  return isPower && base instanceof Fraction ? near : ratio
}

/** Requires a whole number. */
function whole(name: string, value: Real, least: number, most: number): Fraction {
  if (isWholeNumber(value) && value.gte(least) && value.lte(most)) return value
  const shown = value instanceof Fraction ? value.valueOf() : value.toSignificantDigits(12)
  throw new ToolError(`${name} needs a whole number from ${least} to ${most}, not ${shown}.`)
}

/** n (n-1) ... over k factors; without k the factorial. */
const permutations: Compute = (math, [n, k = n], name) => {
  const factors = whole(name, k, 0, MOST_FACTORS).n
  math.spend(Number(factors) / 1000)
  const first = whole(name, n, 0, LARGEST_SET).n
  let product = 1n
  for (let item = first; item > first - factors; item--) product *= item
  return math.settle(new Fraction(product))
}

function fold(step: (left: Fraction, right: Fraction) => Fraction): Compute {
  return (math, values, name) =>
    math.settle(values.map(value => whole(name, value.abs(), 0, LARGEST_DIVISOR)).reduce(step))
}

/** Rounds half away from zero: round(2.5) is 3, round(-2.5) is -3. */
function round(math: Arithmetic, [value, places = ZERO]: readonly Real[], name: string): Real {
  const scale = math.power(TEN, whole(name, places, -100, 100))
  const scaled = math.multiply(value!, scale)
  const size = math.floor(math.add(scaled.abs(), HALF))
  return math.divide(math.sign(scaled) < 0 ? size.neg() : size, scale)
}

const ceil = (math: Arithmetic, value: Real) => math.floor(value.neg()).neg()
const extreme = (math: Arithmetic, all: readonly Real[], sign: 1 | -1) =>
  all.reduce((best, one) => (math.compare(one, best) === sign ? one : best))

/** By signature: `?` marks an optional argument, `...` any number more. */
const TABLE: Record<string, Compute> = {
  'abs(x)': (_, [x]) => x.abs(),
  'floor(x)': (math, [x]) => math.floor(x),
  'ceil(x)': (math, [x]) => ceil(math, x),
  'trunc(x)': (math, [x]) => (math.sign(x) < 0 ? ceil(math, x) : math.floor(x)),
  'round(x, places?)': round,
  'sqrt(x)': (math, [x]) => math.root(x, 2),
  'cbrt(x)': (math, [x]) => math.root(x, 3),
  'nthRoot(x, n?)': (math, [x, n = TWO], name) => math.root(x, whole(name, n, 1, LARGEST_DEGREE).valueOf()),
  'min(a, ...)': (math, all) => extreme(math, all, -1),
  'max(a, ...)': (math, all) => extreme(math, all, 1),
  'sum(a, ...)': sum,
  'mean(a, ...)': mean,
  'median(a, ...)': median,
  'variance(a, b, ...)': (math, all) => variance(math, all, 'sample'),
  'variancep(a, ...)': (math, all) => variance(math, all, 'population'),
  'std(a, b, ...)': (math, all) => math.root(variance(math, all, 'sample'), 2),
  'stdp(a, ...)': (math, all) => math.root(variance(math, all, 'population'), 2),
  'quantile(a, ..., share)': quantile,
  'pow(x, y)': (math, [x, y]) => math.power(x, y),
  'exp(x)': (math, [x]) => math.power(math.e, x),
  'ln(x)': log,
  'log(x, base?)': log,
  'log10(x)': (math, [x], name) => log(math, [x, TEN], name),
  'log2(x)': (math, [x], name) => log(math, [x, TWO], name),
  'sin(angle)': rounded(x => x.sin()),
  'cos(angle)': rounded(x => x.cos()),
  'tan(angle)': rounded(x => x.tan()),
  'asin(x)': rounded(x => x.asin(), 4),
  'acos(x)': rounded(x => x.acos(), 4),
  'atan(x)': rounded(x => x.atan(), 4),
  'factorial(n)': permutations,
  'permutations(n, k?)': permutations,
  'combinations(n, k)': (math, [n, k], name) =>
    math.divide(permutations(math, [n, k], name), permutations(math, [k, k], name)),
  'gcd(a, b, ...)': fold((a, b) => a.gcd(b)),
  'lcm(a, b, ...)': fold((a, b) => a.lcm(b)),
  // With the sign of the divisor: mod(-7, 3) is 2.
  'mod(a, b)': (math, [a, b]) => math.add(a, math.multiply(math.floor(math.divide(a, b)), b).neg()),
}

/** What a name before a parenthesis calls. */
export type Callee = ReturnType<typeof readSignature>[1]

function readSignature([signature, compute]: [string, Compute]) {
  const [, name = '', list = ''] = /(\w+)\((.*)\)/.exec(signature) ?? []
  const all = list.split(', ')
  const required = all.filter(one => !/[?.]/.test(one))
  const short = list.includes('?') ? `${name}(${required.join(', ')}) or ` : ''
  const usage = `${short}${signature.replace('?', '')}`
  const rest = all.indexOf('...')
  const [maximum, afterList] = rest < 0 ? [all.length] : [MOST_ARGUMENTS, all.length - 1 - rest]
  const minimum = required.length
  const callee = { kind: 'function', name, usage, minimum, maximum, afterList, compute, all } as const
  return [name.toLowerCase(), callee] as const
}

/** By lower-case name. */
export const FUNCTIONS: ReadonlyMap<string, Callee> = new Map(Object.entries(TABLE).map(readSignature))

/** @throws {ToolError} when the number of arguments or their units do not fit */
export function call(math: Arithmetic, callee: Callee, args: readonly Quantity[]): Quantity {
  const { name, usage, minimum, maximum, compute, all } = callee
  if (args.length < minimum || args.length > maximum)
    throw new ToolError(`Syntax error: ${name} has ${args.length} arguments here; write ${usage}.`)
  const isAlike = OF_ONE_KIND.has(name)
  if (/^a(?:sin|cos|tan)$/.test(name))
    math.notes.add(`${name} gives radians; write "${name}(...) to deg" for degrees.`)
  const numbers = args.map((arg, index) => {
    if (all[0] === 'angle') return radiansOf(math, arg, name)
    const isFree = !isAlike || all[index] === 'places?'
    // A temperature may be rounded; aligned with another, it would be calculated with.
    if (!isFree && index === 0) return arg.number
    return isFree ? dimensionless(math, arg, name) : align(math, `take ${name} of`, args[0]!, arg).number
  })
  return { number: compute(math, numbers as unknown as Numbers, name), units: isAlike ? args[0]!.units : [] }
}
