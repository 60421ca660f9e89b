import { ToolError } from '@agent-task-service/engine/tool'
import table from './units.json' with { type: 'json' }

export interface Unit {
  readonly name: string
  /** Powers of metre, kilogram, second, kelvin, ampere, degree, bit and mole. */
  readonly dimensions: readonly number[]
  /** The size without prefix: a number, a quotient of numbers, or a product of units such as `lbf/inch2`. */
  readonly size: string
  /** The number that its prefix stands for. */
  readonly prefix: string
  /** Temperature scales only: added before multiplying by the size. Such units convert but do not calculate. */
  readonly offset?: string | undefined
  /** Says which of several customary units the name means; printed with the result. */
  readonly note?: string | undefined
}

/** A product of units, each with its nonzero power: km/h, m^2. */
export type Units = readonly { readonly unit: Unit; readonly power: number }[]

/** Bounds the powers of units in one expression. */
const LARGEST_POWER = 12

const BASES = ['m', 'kg', 's', 'K', 'A', 'deg', 'bit', 'mol']
// Maps, so that `constructor` or `__proto__` is simply an unknown name.
const spellings = new Map(Object.entries(table.spellings))
const units = [...readTable()]
const unitsByName: ReadonlyMap<string, Unit> = new Map(units.map(unit => [unit.name, unit]))
const byLowerCase = Map.groupBy(units, ({ name }) => name.toLowerCase())

/** Finds a unit by any spelling; undefined when there is none or the case leaves it ambiguous (mW and MW). */
export function findUnit(name: string): Unit | undefined {
  const exact = unitsByName.get(spellings.get(name) ?? name.replace(/^[µμ]/, 'u'))
  const [near, ...more] = (name.length > 1 && byLowerCase.get(name.toLowerCase())) || []
  // mPa is not MPa, nor Mg mg, nor pA Pa.
  const isOther = near?.name[0] !== name[0] && near?.prefix !== '1' && /^m.?[A-Z]|^[MP][a-z]{1,4}$/.test(name)
  const found = exact ?? (more.length > 0 || isOther || /^[a-z][A-Z]$/.test(name) ? undefined : near)
  if (found !== undefined || !/...s$/i.test(name)) return found
  const singular = findUnit(name.slice(0, -1))
  return singular && singular.name.length > 2 ? { ...singular, name: `${singular.name}s` } : undefined
}

/**
 * Reads `units.json`: units grouped by dimensions, in metres, kilograms, seconds, kelvins, amperes, degrees, bits and
 * moles. Sources: the SI, NIST SP 811 and NIST Handbook 44. Letters after `:` are the symbol prefixes that a name
 * takes, those after `~` the word prefixes; `i` adds the binary ones. A size is a number, a quotient or other units;
 * temperature scales append an offset, added before the size applies. A note may follow the size.
 */
function* readTable(): Generator<Unit> {
  for (const [base, list] of Object.entries(table.units)) {
    const dimensions = readDimensions(base)
    for (const [names, entry] of Object.entries<string | string[]>(list)) {
      const [sizes = '', note] = [entry].flat()
      const [size = '', offset] = sizes.split('+')
      const unit = { dimensions, size, offset, prefix: '1' }
      for (const [, name = '', letters = '', words = ''] of names.matchAll(/(\w+):?(\w*)~?(\w*)/g)) {
        yield { ...unit, name, note }
        yield* withPrefixes({ ...unit, name }, letters, words)
      }
    }
  }
}

/** The power of each of `BASES` in a product such as `kgm2s-2`. */
function readDimensions(product: string): number[] {
  const powers = new Map([...product.matchAll(/([a-zA-Z]+)(-?\d*)/g)].map(([, name, power]) => [name, power]))
  return BASES.map(name => (powers.has(name) ? Number(powers.get(name) || 1) : 0))
}

/** The unit with each of the symbol prefixes and the word prefixes that it takes. */
function* withPrefixes(unit: Unit, letters: string, words: string): Generator<Unit> {
  for (const [letter, [word, prefix = '']] of Object.entries(table.prefixes)) {
    if (hasPrefix(letters, letter)) yield { ...unit, prefix, name: letter + unit.name }
    if (hasPrefix(words, letter)) yield { ...unit, prefix, name: word + unit.name }
  }
}

function hasPrefix(prefixes: string, letter: string): boolean {
  const isBinary = letter.endsWith('i')
  return prefixes.includes(letter) || (isBinary && prefixes.endsWith('i'))
}

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
      .map(text => text.replaceAll('_', ' '))
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
export const factorsOf = ({ unit, power }: Units[number]): Units =>
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
  const parts = units.length > 1 ? units.flatMap(factorsOf) : units
  const kinds = [...Map.groupBy(parts, one => dimensions([{ ...one, power: 1 }])).values()]
  const merged = kinds.map(same => {
    return { unit: same[0]!.unit, power: same.reduce((sum, { power }) => sum + power, 0) }
  })
  return raise(merged, 1)
}
