import { ToolError } from '../tool.ts'
import { findUnit, type Unit } from './units.ts'

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

/** The dimensions of a product, as a string to compare; empty for a number. */
export function dimensions(units: Units): string {
  const sums = units.reduce<number[]>((totals, { unit, power }) => {
    return unit.dimensions.map((one, index) => (totals[index] ?? 0) + one * power)
  }, [])
  return sums.some(Boolean) ? sums.join() : ''
}

/** The product that mph and the like stand for; other units by themselves. */
export const partsOf = ({ unit, power }: Units[number]): Units =>
  /^\d/.test(unit.size) ? [{ unit, power }] : raise(readUnits(unit.size), power)

/**
 * Multiplies the powers of the units by `factor`.
 * @throws {ToolError} when a power is large or not whole
 */
export function raise(units: Units, factor: number): Units {
  const raised = units.map(({ unit, power }) => ({ unit, power: power * factor }))
  if (raised.some(({ power }) => Math.abs(power) > LARGEST_POWER || !Number.isInteger(power)))
    throw new ToolError(`Units can only be raised to whole powers up to ${LARGEST_POWER} (m^2, s^-1).`)
  return raised.filter(({ power }) => power !== 0)
}

/** Merges units of the same kind into the first of them: 60 mph * 2 h is 120 miles. */
export function merge(units: Units): Units {
  const parts = units.length > 1 ? units.flatMap(partsOf) : units
  const kinds = [...Map.groupBy(parts, one => dimensions([{ ...one, power: 1 }])).values()]
  const merged = kinds.map(same => {
    return { unit: same[0]!.unit, power: same.reduce((sum, { power }) => sum + power, 0) }
  })
  return raise(merged, 1)
}
