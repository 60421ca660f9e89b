import type { Decimal } from 'decimal.js'
import { ToolError } from '../tool.ts'
import { type Arithmetic, Fraction, isWhole, ONE, type Real, ZERO } from './arithmetic.ts'
import { align, bare, plain, power, type Quantity, radiansOf, root } from './quantity.ts'
import { raise } from './units.ts'

/** A function's implementation. `name` is for error messages. */
type Apply = (math: Arithmetic, args: readonly Quantity[], name: string) => Quantity

/** A function's arguments; its signature says how many there are at least. */
type Numbers = readonly [Real, Real, ...Real[]]
type OnNumbers = (math: Arithmetic, values: Numbers, name: string) => Real

const [HALF, TWO, TEN] = [new Fraction(1, 2), new Fraction(2), new Fraction(10)]
const LARGEST_ANGLE = 1e15
const [LARGEST_DEGREE, MOST_ARGUMENTS] = [1000, 300]
const [LARGEST_FACTORIAL, LARGEST_CHOICE, LARGEST_SET] = [1000, 500, 1e15]

/** A function of unitless numbers. */
function numeric(apply: OnNumbers): Apply {
  return (math, args, name) =>
    bare(apply(math, args.map(arg => plain(math, arg, name)) as unknown as Numbers, name))
}

/** A function of quantities with the same dimensions; the result has the units of the first, to this power. */
function alike(apply: OnNumbers, power = 1): Apply {
  return (math, [first, ...rest], name) => {
    const others = rest.map(one => align(math, `take ${name} of`, first!, one).number)
    const number = apply(math, [first!.number, ...others] as unknown as Numbers, name)
    return { number, units: raise(first!.units, power) }
  }
}

/** A function of mathjs's decimals. */
const decimal = (compute: (x: Decimal) => Decimal, cost?: number): Apply =>
  numeric((math, [x]) => math.apply(x, compute, cost))

/** Also says that the result is in radians. */
const arc =
  (apply: Apply): Apply =>
  (math, args, name) => {
    math.notes.add(`${name} gives radians; write "${name}(...) to deg" for degrees.`)
    return apply(math, args, name)
  }

function trigonometric(compute: (x: Decimal) => Decimal): Apply {
  return (math, [angle], name) => {
    const radians = radiansOf(math, angle!, name)
    if (math.rounded(radians).abs().gt(LARGEST_ANGLE))
      throw new ToolError(`${name} takes angles up to 1e15: beyond that its result would be meaningless.`)
    return bare(math.apply(radians, compute))
  }
}

function log(math: Arithmetic, values: readonly Real[], name: string): Real {
  const [value, base] = values as Numbers | [Real]
  if (math.sign(value) <= 0) throw new ToolError(`${name} is only defined for numbers above 0.`)
  if (base && (math.sign(base) <= 0 || math.compare(base, ONE) === 0))
    throw new ToolError('The base of a logarithm must be above 0 and not 1: log(x, base).')
  if (name === 'log' && !base)
    math.notes.add('log(x) is the natural logarithm here; write log10(x) or log(x, 10) for base 10.')
  if (!base && math.compare(value, ONE) === 0) return ZERO
  const [above, below] = values.map(one => math.apply(one, x => x.ln()))
  if (!base) return above!
  const ratio = math.divide(above!, below!)
  const near = new Fraction(math.rounded(ratio).round().toNumber())
  const isPower = value instanceof Fraction && math.compare(math.power(base, near), value) === 0
  return isPower && base instanceof Fraction ? near : ratio
}

/** Requires a whole number. */
function whole(name: string, value: Real, least: number, most: number): number {
  if (isWhole(value) && value.gte(least) && value.lte(most)) return Number(value.s * value.n)
  const shown = value instanceof Fraction ? value.valueOf() : value.toSignificantDigits(12)
  throw new ToolError(
    `${name} needs a whole number from ${least} to ${most.toLocaleString('en')}, not ${shown}.`,
  )
}

/** n (n-1) ... over k factors. */
function falling(math: Arithmetic, n: number, k: number): bigint {
  math.spend(k / 1000)
  let product = 1n
  for (let index = 0; index < k && product > 0; index++) product *= BigInt(n - index)
  return product
}

/** Without `factors` the factorial. */
const permutations: OnNumbers = (math, [items, factors = items], name) => {
  const k = whole(name, factors, 0, LARGEST_FACTORIAL)
  return math.settle(new Fraction(falling(math, whole(name, items, 0, LARGEST_SET), k)))
}

const combinations: OnNumbers = (math, [items, chosen], name) => {
  const n = whole(name, items, 0, LARGEST_SET)
  const wanted = whole(name, chosen, 0, LARGEST_SET)
  const k = Math.min(wanted, n - wanted)
  if (k > LARGEST_CHOICE)
    throw new ToolError(`${name} chooses at most ${LARGEST_CHOICE} items (or all but ${LARGEST_CHOICE}).`)
  return k < 0 ? ZERO : math.settle(new Fraction(falling(math, n, k) / falling(math, k, k)))
}

/** Folds whole numbers, the first of which sets the unit. */
function fold(step: (left: Fraction, right: Fraction) => Fraction): Apply {
  return alike((math, values, name) => {
    const wholes = values.map(value => {
      if (isWhole(value) && value.n < 10n ** 200n) return value.abs()
      throw new ToolError(`${name} needs whole numbers of at most 200 digits.`)
    })
    return math.settle(wholes.reduce(step))
  })
}

/** Rounds half away from zero: round(2.5) is 3, round(-2.5) is -3. */
const nearest = (math: Arithmetic, value: Real): Real =>
  math.sign(value) < 0 ? math.negate(nearest(math, math.negate(value))) : math.floor(math.add(value, HALF))

function round(math: Arithmetic, [value, places]: readonly Quantity[], name: string): Quantity {
  const shift = places ? whole(name, plain(math, places, name), -100, 100) : 0
  const scale = math.power(TEN, new Fraction(shift))
  const number = nearest(math, math.multiply(value!.number, scale))
  return { number: math.divide(number, scale), units: value!.units }
}

const ceil = (math: Arithmetic, value: Real) => math.negate(math.floor(math.negate(value)))
const sum = (math: Arithmetic, all: readonly Real[]) => all.reduce((left, right) => math.add(left, right))
const mean = (math: Arithmetic, all: readonly Real[]) => math.divide(sum(math, all), new Fraction(all.length))
const extreme = (sign: 1 | -1) =>
  alike((math, all) => all.reduce((best, one) => (math.compare(one, best) === sign ? one : best)))

/** Remainder with the sign of the divisor: mod(-7, 3) is 2. */
export const mod = alike((math, [left, right]) =>
  math.subtract(left, math.multiply(math.floor(math.divide(left, right)), right)),
)
export const factorial = numeric(permutations)
/** By signature: `?` marks an optional argument, `...` any number more. */
const TABLE: Record<string, Apply> = {
  'abs(x)': alike((math, [x]) => (math.sign(x) < 0 ? math.negate(x) : x)),
  'floor(x)': alike((math, [x]) => math.floor(x)),
  'ceil(x)': alike((math, [x]) => ceil(math, x)),
  'trunc(x)': alike((math, [x]) => (math.sign(x) < 0 ? ceil(math, x) : math.floor(x))),
  'round(x, places?)': round,
  'sqrt(x)': (math, [x]) => root(math, x!, 2),
  'cbrt(x)': (math, [x]) => root(math, x!, 3),
  'nthRoot(x, n?)': (math, [x, n = bare(TWO)], name) =>
    root(math, x!, whole(name, plain(math, n, name), 1, LARGEST_DEGREE)),
  'min(a, ...)': extreme(-1),
  'max(a, ...)': extreme(1),
  'sum(a, ...)': alike(sum),
  'mean(a, ...)': alike(mean),
  'pow(x, y)': (math, [x, y]) => power(math, x!, y!),
  'exp(x)': numeric((math, [x]) => math.power(math.e, x)),
  'ln(x)': numeric((math, [x], name) => log(math, [x], name)),
  'log(x, base?)': numeric(log),
  'log10(x)': numeric((math, [x], name) => log(math, [x, TEN], name)),
  'log2(x)': numeric((math, [x], name) => log(math, [x, TWO], name)),
  'sin(angle)': trigonometric(x => x.sin()),
  'cos(angle)': trigonometric(x => x.cos()),
  'tan(angle)': trigonometric(x => x.tan()),
  'asin(x)': arc(decimal(x => x.asin(), 4)),
  'acos(x)': arc(decimal(x => x.acos(), 4)),
  'atan(x)': arc(decimal(x => x.atan(), 4)),
  'factorial(n)': factorial,
  'permutations(n, k?)': numeric(permutations),
  'combinations(n, k)': numeric(combinations),
  'gcd(a, b, ...)': fold((a, b) => a.gcd(b)),
  'lcm(a, b, ...)': fold((a, b) => a.lcm(b)),
  'mod(a, b)': mod,
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
