import { ToolError } from '../tool.ts'
import type { Arithmetic } from './arithmetic.ts'
import type { Real } from './decimals.ts'
import type { Dimensions } from './unit-table.ts'
import type { Unit } from './units.ts'

/** A number with the units it is expressed in; a bare number has none. */
export interface Quantity extends Real {
  readonly units: readonly UnitPower[]
}

export interface UnitPower {
  readonly unit: Unit
  /** A whole number, not zero. */
  readonly power: number
}

/** Units multiplied and raised in one expression stay below this power. */
const MAXIMUM_POWER = 12

export function bare(value: Real): Quantity {
  return { number: value.number, accuracy: value.accuracy, units: [] }
}

export function withUnits(value: Real, units: readonly UnitPower[]): Quantity {
  return { number: value.number, accuracy: value.accuracy, units }
}

/** As people write it: `km/h`, `kg*m/s^2`; empty for a bare number. */
export function unitText(units: readonly UnitPower[]): string {
  const part = ({ unit, power }: UnitPower) =>
    unit.name + (Math.abs(power) === 1 ? '' : `^${Math.abs(power)}`)
  const above = units.filter(({ power }) => power > 0).map(part)
  const below = units.filter(({ power }) => power < 0).map(part)
  if (below.length === 0) return above.join('*')
  const under = below.length === 1 ? below[0] : `(${below.join('*')})`
  return `${above.length === 0 ? '1' : above.join('*')}/${under}`
}

/** The physical dimensions of a product of units. */
function dimensionsOf(units: readonly UnitPower[]): Dimensions {
  const total = [0, 0, 0, 0, 0, 0, 0, 0]
  for (const { unit, power } of units)
    unit.dimensions.forEach((exponent, index) => {
      total[index] = (total[index] ?? 0) + exponent * power
    })
  return total
}

export function sameDimensions(left: readonly UnitPower[], right: readonly UnitPower[]): boolean {
  return String(dimensionsOf(left)) === String(dimensionsOf(right))
}

function identical(left: readonly UnitPower[], right: readonly UnitPower[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ unit, power }, index) => unit === right[index]?.unit && power === right[index].power)
  )
}

export function isTemperatureScale(units: readonly UnitPower[]): boolean {
  return units.some(({ unit }) => unit.offset !== undefined)
}

/** A temperature on a scale with its own zero can only be converted: 20 degC + 5 degC has no single meaning. */
export function refuseTemperatureScale(quantity: Quantity): void {
  if (!isTemperatureScale(quantity.units)) return
  throw new ToolError(
    `${unitText(quantity.units)} temperatures can be converted ("72 degF to degC") but not calculated with. ` +
      'Calculate with bare numbers, or with kelvin (K).',
  )
}

/** The same quantity in other units of the same dimensions. */
export function convert(arithmetic: Arithmetic, from: Quantity, units: readonly UnitPower[]): Quantity {
  if (identical(from.units, units)) return from
  if (!sameDimensions(from.units, units)) throw mismatch('convert', from.units, units)
  const offset = (list: readonly UnitPower[]) => arithmetic.from(list[0]?.unit.offset ?? '0')
  let above: Real = isTemperatureScale(from.units) ? arithmetic.add(from, offset(from.units)) : from
  let below = arithmetic.from(1)
  const apply = (list: readonly UnitPower[], direction: 1 | -1) => {
    for (const { unit, power } of list) {
      const numerator = unit.factors.map(factor => arithmetic.from(factor, accuracyOf(unit)))
      const divisor = arithmetic.from(unit.divisor)
      for (let count = 0; count < Math.abs(power); count++) {
        const up = power * direction > 0
        for (const factor of numerator) {
          if (up) above = arithmetic.multiply(above, factor)
          else below = arithmetic.multiply(below, factor)
        }
        if (up) below = arithmetic.multiply(below, divisor)
        else above = arithmetic.multiply(above, divisor)
      }
    }
  }
  apply(from.units, 1)
  apply(units, -1)
  const value = arithmetic.divide(above, below)
  return withUnits(isTemperatureScale(units) ? arithmetic.subtract(value, offset(units)) : value, units)
}

/** The radian is the one unit whose size in its base (the degree) is not a decimal. */
function accuracyOf(unit: Unit): 'exact' | 'rounded' {
  return unit.factors.some(factor => factor.length > 60) ? 'rounded' : 'exact'
}

/** Converts the right one to the units of the left, for sums and comparisons. */
export function align(arithmetic: Arithmetic, verb: string, left: Quantity, right: Quantity): Quantity {
  refuseTemperatureScale(left)
  if (identical(left.units, right.units)) return right
  refuseTemperatureScale(right)
  if (!sameDimensions(left.units, right.units)) throw mismatch(verb, left.units, right.units)
  return convert(arithmetic, right, left.units)
}

/** Product (direction 1) or quotient (-1); units of the same kind are merged into the left one's. */
export function combine(
  arithmetic: Arithmetic,
  left: Quantity,
  right: Quantity,
  direction: 1 | -1,
): Quantity {
  refuseTemperatureScale(left)
  refuseTemperatureScale(right)
  let factor: Real = right
  let units = [...left.units]
  for (const entry of right.units) {
    const twin = units.find(({ unit }) => String(unit.dimensions) === String(entry.unit.dimensions))
    const power = entry.power * direction
    if (twin === undefined) units.push({ unit: entry.unit, power })
    else {
      const step = convert(arithmetic, { ...arithmetic.from(1), units: [entry] }, [
        { ...twin, power: entry.power },
      ])
      factor = arithmetic.multiply(factor, step)
      units = units.map(one => (one === twin ? { unit: one.unit, power: one.power + power } : one))
    }
  }
  units = units.filter(({ power }) => power !== 0)
  checkPowers(units)
  const value = direction === 1 ? arithmetic.multiply(left, factor) : arithmetic.divide(left, factor)
  return withUnits(value, units)
}

export function checkPowers(units: readonly UnitPower[]): void {
  if (units.some(({ power }) => Math.abs(power) > MAXIMUM_POWER || !Number.isInteger(power)))
    throw new ToolError(`A unit may be raised to whole powers up to ${MAXIMUM_POWER} only (m^2, s^-1).`)
}

function mismatch(verb: string, left: readonly UnitPower[], right: readonly UnitPower[]): ToolError {
  const name = (units: readonly UnitPower[]) => unitText(units) || 'a bare number'
  const between = verb === 'convert' ? `${name(left)} to ${name(right)}` : `${name(left)} and ${name(right)}`
  return new ToolError(`Cannot ${verb} ${between}: they do not measure the same thing. Use compatible units.`)
}
