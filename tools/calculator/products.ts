import { ToolError } from '../tool.ts'
import type { Arithmetic } from './arithmetic.ts'
import { convert, isScale, plain, type Quantity, refuseScale } from './quantity.ts'
import type { UnitPower } from './units.ts'

/** Bounds the powers of units in one expression. */
const LARGEST_POWER = 12

/** Product (direction 1) or quotient (-1). Units of the same kind merge into the left one's. */
export function combine(math: Arithmetic, left: Quantity, right: Quantity, direction: 1 | -1): Quantity {
  // "72 degF" parses as a number times a temperature scale.
  if (direction === 1 && left.units.length === 0 && isScale(right) && right.number.eq(1))
    return { number: left.number, units: right.units }
  refuseScale(left, right)
  const number =
    direction === 1 ? math.multiply(left.number, right.number) : math.divide(left.number, right.number)
  const all = [...left.units, ...raise(right.units, direction)]
  const merged = merge(all)
  // 60 mph * 2 h is 120 miles, although mph and h are units of different kinds.
  const apart = merge(all.flatMap(partsOf))
  const units = raise(apart.length < merged.length ? apart : merged, 1)
  return all.length === units.length ? { number, units } : convert(math, { number, units: all }, units)
}

function partsOf({ unit, power }: UnitPower): UnitPower[] {
  const parts = unit.size.filter(factor => typeof factor !== 'string')
  return parts.length === 0 ? [{ unit, power }] : parts.map(part => ({ ...part, power: part.power * power }))
}

function merge(units: readonly UnitPower[]): UnitPower[] {
  const merged = new Map<string, UnitPower>()
  for (const { unit, power } of units) {
    const twin = merged.get(unit.kind) ?? { unit, power: 0 }
    merged.set(unit.kind, { unit: twin.unit, power: twin.power + power })
  }
  return [...merged.values()].filter(({ power }) => power !== 0)
}

export function power(math: Arithmetic, base: Quantity, exponent: Quantity): Quantity {
  refuseScale(base)
  const times = plain(exponent, 'An exponent')
  const units = base.units.length === 0 ? [] : raise(base.units, times.toNumber())
  return { number: math.power(base.number, times), units }
}

/** A root divides the powers of the units: sqrt(9 m^2) is 3 m. */
export function root(math: Arithmetic, value: Quantity, degree: number): Quantity {
  refuseScale(value)
  return { number: math.root(value.number, degree), units: raise(value.units, 1 / degree) }
}

/** Multiplies the powers of the units by `factor`. */
function raise(units: readonly UnitPower[], factor: number): UnitPower[] {
  const raised = units.map(({ unit, power }) => ({ unit, power: power * factor }))
  if (raised.some(({ power }) => Math.abs(power) > LARGEST_POWER || !Number.isInteger(power)))
    throw new ToolError(`A unit may be raised to whole powers up to ${LARGEST_POWER} only (m^2, s^-1).`)
  return raised.filter(({ power }) => power !== 0)
}
