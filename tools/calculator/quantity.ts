import { ToolError } from '../tool.ts'
import { type Arithmetic, BigNumber, ONE, PI } from './arithmetic.ts'
import { findUnit, readUnits, type UnitPower } from './units.ts'

/** A number and its units; none for a bare number. */
export interface Quantity {
  readonly number: BigNumber
  readonly units: readonly UnitPower[]
}

const RADIANS: readonly UnitPower[] = [{ unit: findUnit('rad')!, power: 1 }]
/** Second meanings of units, used when the other operand requires them: an ounce added to a volume is a fluid ounce. */
const SECOND_MEANINGS = new Map([
  ...['oz', 'ounce'].map(name => [name, 'floz'] as const),
  ...['lb', 'pound'].map(name => [name, 'lbf'] as const),
  ...[['kg', 'kgf'] as const, ['rpm', 'turn/min'] as const],
])

export function bare(number: BigNumber): Quantity {
  return { number, units: [] }
}

/** As people write it: `km/h`, `kg*m/s^2`; empty for a bare number. */
export function unitText(units: readonly UnitPower[]): string {
  const side = (direction: number) => {
    const powers = units.map(({ unit, power }) => ({
      name: unit.name.replace('_per_', '/').replaceAll('_', ' '),
      size: power * direction,
    }))
    return powers
      .filter(({ size }) => size > 0)
      .map(({ name, size }) => (size === 1 ? name : `${name}^${size}`))
  }
  const [above, below] = [side(1).join('*'), side(-1)]
  if (below.length === 0) return above
  return `${above || '1'}/${below.length === 1 ? below[0] : `(${below.join('*')})`}`
}

/** The dimensions of a product of units, as a string to compare. */
function dimensions(units: readonly UnitPower[]): string {
  const total = (index: number) =>
    units.reduce((sum, { unit, power }) => sum + unit.dimensions[index]! * power, 0)
  return String(RADIANS[0]!.unit.dimensions.map((_, index) => total(index)))
}

/** A rate such as mpg or km/h, which converts to its inverse (L/100km, min/km). */
const isRate = (units: readonly UnitPower[]) =>
  /\//.test(unitText(units)) || units.some(({ unit }) => unit.size.some(part => typeof part !== 'string'))
const isAngle = (units: readonly UnitPower[]) => dimensions(units) === dimensions(RADIANS)
export const isScale = ({ units }: Quantity) => units.some(({ unit }) => unit.offset !== undefined)

/** Temperatures on a scale with an offset can only be converted: 20 degC + 5 degC has no single meaning. */
export function refuseScale(...quantities: readonly Quantity[]): void {
  const scale = quantities.find(isScale)
  if (scale === undefined) return
  throw new ToolError(
    `${unitText(scale.units)} temperatures can be converted ("72 degF to degC") but not calculated with. ` +
      'Calculate with bare numbers, or with kelvin (K).',
  )
}

/** The size of a product of units in base units (metre, kilogram, and so on). */
function size(math: Arithmetic, units: readonly UnitPower[]): BigNumber {
  const sizeOf = (factor: string | UnitPower): BigNumber => {
    if (typeof factor !== 'string') return size(math, [factor])
    const [above = '', below = '1'] = factor.split('/')
    return math.divide(new BigNumber(above), below === 'pi' ? PI : new BigNumber(below))
  }
  return units.reduce((total, { unit, power }) => {
    const one = unit.size.map(sizeOf).reduce((left, right) => math.multiply(left, right))
    return math.multiply(total, math.power(one, new BigNumber(power)))
  }, ONE)
}

/** Converts a quantity to other units of the same dimensions. */
export function convert(math: Arithmetic, from: Quantity, to: readonly UnitPower[]): Quantity {
  if (unitText(from.units) === unitText(to)) return from
  const offset = (units: readonly UnitPower[]) => new BigNumber(units[0]?.unit.offset ?? 0)
  const absolute = math.multiply(math.add(from.number, offset(from.units)), size(math, from.units))
  return { number: math.add(math.divide(absolute, size(math, to)), offset(to).neg()), units: to }
}

/** Gives both operands the same dimensions, if necessary by the second meanings of their units. */
function match(math: Arithmetic, left: Quantity, right: Quantity, what: [verb: string, joint: string]) {
  if (dimensions(left.units) === dimensions(right.units)) return [left, right] as const
  const said: [was: string | undefined, is: string][] = []
  const other = ({ number, units }: Quantity): Quantity => {
    const meant = units.flatMap(({ unit, power }) => {
      const text = SECOND_MEANINGS.get(unit.name.replace(/s$/, ''))
      if (text === undefined) return { unit, power }
      const [first, ...rest] = readUnits(text) as [UnitPower, ...UnitPower[]]
      said.push([unit.note, first.unit.note ?? `${unit.name} was taken as ${text}.`])
      return [first, ...rest].map(one => ({ ...one, power: one.power * power }))
    })
    return { number, units: meant }
  }
  const [from, to] = [left, right].map(({ units }) => unitText(units) || 'a bare number')
  const pair = [other(left), other(right)] as const
  if (dimensions(pair[0].units) !== dimensions(pair[1].units))
    throw new ToolError(`Cannot ${what[0]} ${from} ${what[1]} ${to}: they do not measure the same thing.`)
  for (const [was = '', is] of said) {
    math.notes.delete(was)
    math.notes.add(is)
  }
  return pair
}

/** Converts the right operand to the units of the left, for sums and comparisons. */
export function align(math: Arithmetic, verb: string, left: Quantity, right: Quantity): [Quantity, Quantity] {
  refuseScale(left, right)
  const [a, b] = match(math, left, right, [verb, 'and'])
  return [a, convert(math, b, a.units)]
}

/** `value to units`. A bare number may become an angle (from radians) or a percentage. */
export function convertTo(math: Arithmetic, value: Quantity, units: readonly UnitPower[]): Quantity {
  const isBare = value.units.length === 0
  if (isBare && isAngle(units)) {
    math.notes.add('The number without a unit was taken as radians.')
    return convert(math, { ...value, units: RADIANS }, units)
  }
  if (isBare && unitText(units) !== 'percent')
    throw new ToolError(`The value to convert has no unit. Give it one, as in "5 ${unitText(units)}".`)
  const inverse = value.units.map(one => ({ ...one, power: -one.power }))
  const [is, wanted] = [value.units, units].map(dimensions)
  if (is !== wanted && dimensions(inverse) === wanted && [value.units, units].every(isRate)) {
    math.notes.add(`${unitText(units)} is the inverse: one over the value.`)
    return convert(math, { number: math.divide(ONE, value.number), units: inverse }, units)
  }
  const [from, to] = match(math, value, { number: ONE, units }, ['convert', 'to'])
  return convert(math, from, to.units)
}

/** The number, which must have no unit. */
export function plain({ number, units }: Quantity, name: string): BigNumber {
  if (units.length === 0) return number
  throw new ToolError(
    `${name} takes a number without a unit, not one in ${unitText(units)}. Divide by the unit first.`,
  )
}

/** An angle in radians. A bare number counts as radians, with a note. */
export function radiansOf(math: Arithmetic, angle: Quantity, name: string): BigNumber {
  const unit = unitText(angle.units)
  if (isAngle(angle.units)) return convert(math, angle, RADIANS).number
  if (unit !== '')
    throw new ToolError(
      `${name} takes an angle ("30 deg", "2 rad") or a bare number in radians, not ${unit}.`,
    )
  math.notes.add(`Angles without a unit were taken as radians; write "${name}(30 deg)" for degrees.`)
  return angle.number
}
