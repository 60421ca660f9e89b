import { ToolError } from '../tool.ts'
import { type Arithmetic, BigNumber, ONE, PI } from './arithmetic.ts'
import { BASES, findUnit, type Unit } from './units.ts'

/** A product of units, each with its nonzero power: km/h, m^2. */
export type Units = readonly { readonly unit: Unit; readonly power: number }[]

/** Bounds the powers of units in one expression. */
const LARGEST_POWER = 12

/** Reads a product such as `lbf/inch2`. */
export function readUnits(text: string): Units {
  return [...text.matchAll(/(\/?)([a-z]+)(\d?)/gi)].map(([, over, name = '', power]) => {
    return { unit: findUnit(name)!, power: Number(power || 1) * (over ? -1 : 1) }
  })
}

/** As people write it: `km/h`, `kg*m/s^2`; empty for a bare number. */
export function unitText(units: Units): string {
  const side = (direction: 1 | -1) =>
    raise(units, direction)
      .filter(({ power }) => power > 0)
      .map(({ unit, power }) => (power === 1 ? unit.name : `${unit.name}^${power}`))
      .map(text => text.replace('_per_', '/').replaceAll('_', ' '))
  const [above, below] = [side(1).join('*'), side(-1)]
  if (below.length === 0) return above
  return `${above || '1'}/${below.length === 1 ? below[0] : `(${below.join('*')})`}`
}

/** The same dimensions in base units: m^3 for a litre. */
export function baseUnits(units: Units): Units {
  return BASES.flatMap((name, index) => {
    const power = units.reduce((sum, one) => sum + one.unit.dimensions[index]! * one.power, 0)
    return power === 0 ? [] : { unit: findUnit(name)!, power }
  })
}

/** The dimensions of a product, as a string to compare. */
export const dimensions = (units: Units): string => unitText(baseUnits(units))

/** The product that mph and the like stand for; other units by themselves. */
function partsOf(unit: Unit): Units {
  return /^\d/.test(unit.size) ? [{ unit, power: 1 }] : readUnits(unit.size)
}

/** The numbers whose product is the size of a unit, with their powers. */
function factors({ unit, power }: Units[number]): [factor: string, power: number][] {
  if (!/^\d/.test(unit.size)) return [[unit.prefix, power], ...raise(partsOf(unit), power).flatMap(factors)]
  const [above = '', below = '1'] = unit.size.split('/')
  return [
    [unit.prefix, power],
    [above, power],
    [below, -power],
  ]
}

/** Multiplies by the size of a product of units; divides once, at the end, so that 32 degF is 0 degC exactly. */
export function scale(math: Arithmetic, value: BigNumber, units: Units): BigNumber {
  let [above, below] = [value, ONE]
  for (const [factor, power] of units.flatMap(factors).filter(([factor]) => factor !== '1')) {
    const size = math.power(factor === 'pi' ? PI : new BigNumber(factor), new BigNumber(Math.abs(power)))
    if (power > 0) above = math.multiply(above, size)
    else below = math.multiply(below, size)
  }
  return math.divide(above, below)
}

/** Such as mpg or km/h, which convert to their inverse (L/100km, min/km). */
export const isRate = (units: Units): boolean =>
  unitText(units).includes('/') || units.some(({ unit }) => partsOf(unit).length > 1)

/** Multiplies the powers of the units by `factor`. */
export function raise(units: Units, factor: number): Units {
  return units.map(({ unit, power }) => ({ unit, power: power * factor })).filter(({ power }) => power !== 0)
}

/**
 * Merges units of the same kind into the first of them; takes mph and the like apart where that leaves fewer.
 * @throws {ToolError} when a power is large or not whole
 */
export function merge(units: Units): Units {
  const apart = units.flatMap(({ unit, power }) => raise(partsOf(unit), power))
  // 60 mph * 2 h is 120 miles, although mph and h are units of different kinds.
  const [merged = [], fewer = []] = [units, apart].map(list => {
    const kinds = [...Map.groupBy(list, ({ unit }) => unit.kind).values()]
    const total = (same: Units) => same.reduce((sum, { power }) => sum + power, 0)
    const sums = kinds.map(same => ({ unit: same[0]!.unit, power: total(same) }))
    return sums.filter(({ power }) => power !== 0)
  })
  const shorter = fewer.length < merged.length ? fewer : merged
  if (shorter.some(({ power }) => Math.abs(power) > LARGEST_POWER || !Number.isInteger(power)))
    throw new ToolError(`Units can only be raised to whole powers up to ${LARGEST_POWER} (m^2, s^-1).`)
  return shorter
}
