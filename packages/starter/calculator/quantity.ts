import { ToolError } from '@agent-task-service/engine/tool'
import { type Arithmetic, Fraction, ONE, type Real, readNumber } from './arithmetic.ts'
import { dimensions, factorsOf, merge, raise, readUnits, type Units, unitText } from './units.ts'

/** A number and its units; none for a bare number. */
export interface Quantity {
  readonly number: Real
  readonly units: Units
}

const RADIANS = readUnits('rad')
const LARGEST_ANGLE = 1e15

export const bare = (number: Real): Quantity => ({ number, units: [] })

const isScale = ({ units }: Quantity) => units.some(({ unit }) => unit.offset !== undefined)

/** Temperatures on a scale with an offset can only be converted: 20 degC + 5 degC has no single meaning. */
function refuseScale(...quantities: readonly Quantity[]): void {
  const unit = unitText(quantities.find(isScale)?.units ?? [])
  if (unit !== '')
    throw new ToolError(`${unit} temperatures can be converted, not calculated with. Use bare numbers or K.`)
}

/** Product (direction 1) or quotient (-1). Units of the same kind merge into the left one's. */
export function combine(math: Arithmetic, left: Quantity, right: Quantity, direction: 1 | -1): Quantity {
  // "72 degF" parses as a number times a temperature scale.
  if (direction === 1 && left.units.length === 0 && isScale(right) && math.compare(right.number, ONE) === 0)
    return { number: left.number, units: right.units }
  refuseScale(left, right)
  const number = math[direction === 1 ? 'multiply' : 'divide'](left.number, right.number)
  const all = [...left.units, ...raise(right.units, direction)]
  return convert(math, { number, units: all }, merge(all))
}

export function power(math: Arithmetic, base: Quantity, exponent: Quantity): Quantity {
  refuseScale(base)
  const times = dimensionless(math, exponent, 'The operator ^')
  const number = math.power(base.number, times)
  return { number, units: raise(base.units, math.rounded(times).toNumber()) }
}

/** The size of a product of units. */
function sizeOf(math: Arithmetic, units: Units): Real {
  return units.reduce<Real>((product, { unit, power }) => {
    const [above = '', below = '1'] = unit.size.split('/')
    const read = (text: string) => (text === 'pi' ? math.pi : readNumber(text))
    const parts = factorsOf({ unit, power: 1 })
    const size = parts[0]!.unit === unit ? math.divide(read(above), read(below)) : sizeOf(math, parts)
    const prefixed = math.multiply(readNumber(unit.prefix), size)
    return math.multiply(product, math.power(prefixed, new Fraction(power)))
  }, ONE)
}

/** Converts a quantity to other units of the same dimensions. */
function convert(math: Arithmetic, from: Quantity, to: Units): Quantity {
  if (unitText(from.units) === unitText(to)) return { ...from, units: to }
  const offset = (units: Units) => readNumber(units[0]?.unit.offset ?? '0')
  const absolute = math.add(from.number, offset(from.units))
  const ratio = math.divide(sizeOf(math, from.units), sizeOf(math, to))
  return { number: math.add(math.multiply(absolute, ratio), offset(to).neg()), units: to }
}

function refuseUnlike(verb: string, joint: string, left: Units, right: Units): void {
  if (dimensions(left) === dimensions(right)) return
  const [from, to] = [left, right].map(units => unitText(units) || 'a bare number')
  const notes = [...left, ...right].flatMap(({ unit }) => unit.note ?? [])
  const what = `Cannot ${verb} ${from} ${joint} ${to}: they do not measure the same thing.`
  const isInverse = dimensions(raise(left, -1)) === dimensions(right)
  const inverse = isInverse ? ['One is the inverse of the other: divide 1 by the value first.'] : []
  throw new ToolError([what, ...inverse, ...new Set(notes)].join(' '))
}

/** Converts the right operand to the units of the left, for sums and comparisons. */
export function align(math: Arithmetic, verb: string, left: Quantity, right: Quantity): Quantity {
  refuseScale(left, right)
  refuseUnlike(verb, 'and', left.units, right.units)
  return convert(math, right, left.units)
}

/** `value to units`. A bare number may become an angle (from radians) or a percentage. */
export function convertTo(math: Arithmetic, value: Quantity, units: Units): Quantity {
  if (value.units.length === 0 && dimensions(units) === dimensions(RADIANS)) {
    math.notes.add('The number without a unit was taken as radians.')
    return convert(math, { ...value, units: RADIANS }, units)
  }
  if (value.units.length === 0 && unitText(units) !== 'percent')
    throw new ToolError(`The value to convert has no unit. Give it one, as in "5 ${unitText(units)}".`)
  refuseUnlike('convert', 'to', value.units, units)
  return convert(math, value, units)
}

/** The number, which must have no dimension: 5 ppm is 0.000005. */
export function dimensionless(math: Arithmetic, value: Quantity, name: string): Real {
  if (dimensions(value.units) === '') return convert(math, value, []).number
  throw new ToolError(`${name} needs a number without a unit: divide by ${unitText(value.units)} first.`)
}

/** An angle in radians. A bare number counts as radians, with a note. */
export function radiansOf(math: Arithmetic, angle: Quantity, name: string): Real {
  if (angle.units.length === 0)
    math.notes.add(`Angles without a unit were taken as radians; write "${name}(30 deg)" for degrees.`)
  const isAngle = dimensions(angle.units) === dimensions(RADIANS)
  const radians = isAngle
    ? convert(math, angle, RADIANS).number
    : dimensionless(math, angle, `${name} takes an angle ("30 deg"); otherwise it`)
  if (math.rounded(radians).abs().lte(LARGEST_ANGLE)) return radians
  throw new ToolError(`${name} takes angles up to 1e15: beyond that its result would be meaningless.`)
}
