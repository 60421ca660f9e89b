import { ToolError } from '../tool.ts'
import { type Arithmetic, BigNumber, ONE } from './arithmetic.ts'
import type { Units } from './products.ts'
import { baseUnits, dimensions, isRate, merge, raise, readUnits, scale, unitText } from './products.ts'
import type { Unit } from './units.ts'

/** A number and its units; none for a bare number. */
export interface Quantity {
  readonly number: BigNumber
  readonly units: Units
}

const RADIANS = readUnits('rad')
/** Second meanings of units, used when the other operand requires them: an ounce added to a volume is a fluid ounce. */
const SECOND_MEANINGS = { oz: 'floz', ounce: 'floz', lb: 'lbf', pound: 'lbf', kg: 'kgf', rpm: 'turn/min' }
const secondMeanings = new Map(Object.entries(SECOND_MEANINGS).map(([name, text]) => [name, readUnits(text)]))
const secondMeaning = ({ name }: Unit) => secondMeanings.get(name.replace(/s$/, ''))

export const bare = (number: BigNumber): Quantity => ({ number, units: [] })

const isAngle = (units: Units) => dimensions(units) === dimensions(RADIANS)
const isScale = ({ units }: Quantity) => units.some(({ unit }) => unit.offset !== undefined)

/** Temperatures on a scale with an offset can only be converted: 20 degC + 5 degC has no single meaning. */
export function refuseScale(...quantities: readonly Quantity[]): void {
  const unit = unitText(quantities.find(isScale)?.units ?? [])
  if (unit !== '')
    throw new ToolError(`${unit} temperatures can be converted, not calculated with. Use bare numbers or K.`)
}

/** Product (direction 1) or quotient (-1). Units of the same kind merge into the left one's. */
export function combine(math: Arithmetic, left: Quantity, right: Quantity, direction: 1 | -1): Quantity {
  // "72 degF" parses as a number times a temperature scale.
  if (direction === 1 && left.units.length === 0 && isScale(right) && right.number.eq(1))
    return { number: left.number, units: right.units }
  refuseScale(left, right)
  const number = math[direction === 1 ? 'multiply' : 'divide'](left.number, right.number)
  const all = [...left.units, ...raise(right.units, direction)]
  const units = merge(all)
  return all.length === units.length ? { number, units } : convert(math, { number, units: all }, units)
}

export function power(math: Arithmetic, base: Quantity, exponent: Quantity): Quantity {
  const times = plain(math, exponent, 'The operator ^')
  return raiseBy(math, base, times.toNumber(), number => math.power(number, times))
}

/** A root divides the powers of the units: sqrt(9 m^2) is 3 m. */
export function root(math: Arithmetic, value: Quantity, degree: number): Quantity {
  return raiseBy(math, value, 1 / degree, number => math.root(number, degree))
}

/** Takes base units if a power would not stay whole otherwise: sqrt(1 ha) is 100 m. */
function raiseBy(math: Arithmetic, value: Quantity, factor: number, apply: (number: BigNumber) => BigNumber) {
  refuseScale(value)
  const isWhole = value.units.every(({ power }) => Number.isInteger(power * factor))
  const { number, units } = isWhole ? value : convert(math, value, baseUnits(value.units))
  const raised = merge(raise(units, factor))
  return { number: apply(number), units: raised }
}

/** Converts a quantity to other units of the same dimensions. */
function convert(math: Arithmetic, from: Quantity, to: Units): Quantity {
  if (unitText(from.units) === unitText(to)) return from
  const offset = (units: Units) => new BigNumber(units[0]?.unit.offset ?? 0)
  const absolute = math.add(from.number, offset(from.units))
  const scaled = scale(math, absolute, [...from.units, ...raise(to, -1)])
  return { number: math.subtract(scaled, offset(to)), units: to }
}

/** Gives both operands the same dimensions, if necessary by the second meanings of their units. */
function match(math: Arithmetic, left: Quantity, right: Quantity, what: [verb: string, joint: string]) {
  if (dimensions(left.units) === dimensions(right.units)) return [left, right] as const
  const seconds = [...left.units, ...right.units].filter(({ unit }) => secondMeaning(unit) !== undefined)
  const meant = (units: Units) =>
    units.flatMap(one => raise(secondMeaning(one.unit) ?? [{ ...one, power: 1 }], one.power))
  const [a, b] = [
    { ...left, units: meant(left.units) },
    { ...right, units: meant(right.units) },
  ]
  const [from, to] = [left, right].map(({ units }) => unitText(units) || 'a bare number')
  if (dimensions(a.units) !== dimensions(b.units))
    throw new ToolError(`Cannot ${what[0]} ${from} ${what[1]} ${to}: they do not measure the same thing.`)
  for (const { unit } of seconds) {
    const meaning = secondMeaning(unit)!
    math.notes.delete(unit.note ?? '')
    math.notes.add(meaning[0]!.unit.note ?? `${unit.name} was taken as ${unitText(meaning)}.`)
  }
  return [a, b] as const
}

/** Converts the right operand to the units of the left, for sums and comparisons. */
export function align(math: Arithmetic, verb: string, left: Quantity, right: Quantity): [Quantity, Quantity] {
  refuseScale(left, right)
  const [a, b] = match(math, left, right, [verb, 'and'])
  return [a, convert(math, b, a.units)]
}

/** `value to units`. A bare number may become an angle (from radians) or a percentage. */
export function convertTo(math: Arithmetic, value: Quantity, units: Units): Quantity {
  const isBare = value.units.length === 0
  if (isBare && isAngle(units)) {
    math.notes.add('The number without a unit was taken as radians.')
    return convert(math, { ...value, units: RADIANS }, units)
  }
  if (isBare && unitText(units) !== 'percent')
    throw new ToolError(`The value to convert has no unit. Give it one, as in "5 ${unitText(units)}".`)
  const inverse = raise(value.units, -1)
  const [is, wanted] = [value.units, units].map(dimensions)
  if (is !== wanted && dimensions(inverse) === wanted && [value.units, units].every(isRate)) {
    math.notes.add(`${unitText(units)} is the inverse: one over the value.`)
    return convert(math, { number: math.divide(ONE, value.number), units: inverse }, units)
  }
  const [from, to] = match(math, value, { number: ONE, units }, ['convert', 'to'])
  return convert(math, from, to.units)
}

/** The number, which must have no dimension: 5 ppm is 0.000005. */
export function plain(math: Arithmetic, value: Quantity, name: string): BigNumber {
  const { units } = value
  if (dimensions(units) === dimensions([])) return convert(math, value, []).number
  throw new ToolError(`${name} needs a number without a unit: divide by ${unitText(units)} first.`)
}

/** An angle in radians. A bare number counts as radians, with a note. */
export function radiansOf(math: Arithmetic, angle: Quantity, name: string): BigNumber {
  if (isAngle(angle.units)) return convert(math, angle, RADIANS).number
  if (dimensions(angle.units) !== '')
    throw new ToolError(`${name} takes an angle ("30 deg") or a bare number, not ${unitText(angle.units)}.`)
  math.notes.add(`Angles without a unit were taken as radians; write "${name}(30 deg)" for degrees.`)
  return convert(math, angle, []).number
}
