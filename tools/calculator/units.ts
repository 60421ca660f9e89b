import table from './units.json' with { type: 'json' }

export interface Unit {
  readonly name: string
  /** Powers of metre, kilogram, second, kelvin, ampere, degree, bit and mole. */
  readonly dimensions: readonly number[]
  /** `dimensions` as a string, to compare. */
  readonly kind: string
  /** The unit's size as factors: decimals, quotients, or other units with their powers. */
  readonly size: readonly (string | UnitPower)[]
  /** Temperature scales only: added before multiplying by the size. Such units convert but do not calculate. */
  readonly offset?: string | undefined
  /** Says which of several customary units the name means; printed with the result. */
  readonly note?: string | undefined
}

export interface UnitPower {
  readonly unit: Unit
  /** A nonzero integer. */
  readonly power: number
}

const BASES = ['m', 'kg', 's', 'K', 'A', 'deg', 'bit', 'mol']
// A Map, so that `constructor` or `__proto__` is simply an unknown name.
const spellings = new Map(Object.entries(table.spellings))
/** By lower-case name; undefined where case distinguishes units (mW and MW). */
const byLowerCase = new Map<string, Unit | undefined>()
export const unitsByName: ReadonlyMap<string, Unit> = readTable()

/** Finds a unit by any spelling; undefined when there is none or the case leaves it ambiguous. */
export function findUnit(name: string, units = unitsByName): Unit | undefined {
  const spelled = spellings.get(name) ?? name.replace(/^[µμ]/, 'u')
  const found = units.get(spelled) ?? (name.length > 1 ? byLowerCase.get(name.toLowerCase()) : undefined)
  if (found !== undefined || !/...s$/i.test(name)) return found
  const singular = findUnit(name.slice(0, -1), units)
  return singular && singular.name.length > 2 ? { ...singular, name: `${singular.name}s` } : undefined
}

/**
 * Reads `units.json`: units grouped by dimensions, in metres, kilograms, seconds, kelvins, amperes, degrees, bits and
 * moles. Sources: the SI, NIST SP 811 and NIST Handbook 44. Letters after `:` are the symbol prefixes that a name
 * takes, those after `~` the word prefixes; `i` adds the binary ones. A size is a number, a quotient or other units;
 * temperature scales append an offset, added before the size applies. A note may follow the size.
 */
function readTable(): Map<string, Unit> {
  const units = new Map<string, Unit>()
  const put = (unit: Unit) => {
    if (units.has(unit.name)) throw new Error(`The unit ${unit.name} is listed twice`)
    units.set(unit.name, unit)
    const lower = unit.name.toLowerCase()
    byLowerCase.set(lower, byLowerCase.has(lower) ? undefined : unit)
  }
  const rows = Object.entries(table.units).flatMap(([base, list]) =>
    Object.entries<string | string[]>(list).map(([names, size]) => ({ base, names, sizes: [size].flat() })),
  )
  // Units defined by other units come last.
  for (const { base, names, sizes } of rows.sort((a, b) => isNumber(b.sizes) - isNumber(a.sizes))) {
    const powers = new Map([...base.matchAll(/([a-zA-Z]+)(-?\d*)/g)].map(([, name, power]) => [name, power]))
    const dimensions = BASES.map(name => (powers.has(name) ? Number(powers.get(name) || 1) : 0))
    const [text = '', offset] = sizes[0]!.split('+')
    const size = isNumber(sizes) ? [text] : readUnits(text, units)
    const unit = { dimensions, kind: String(dimensions), size, offset, note: sizes[1] }
    for (const [, name = '', letters = '', words = ''] of names.matchAll(/(\w+):?(\w*)~?(\w*)/g)) {
      put({ ...unit, name })
      for (const [letter, [word, factor = '']] of Object.entries(table.prefixes)) {
        const isIn = (set: string) => set.includes(letter) || (letter.endsWith('i') && set.endsWith('i'))
        if (isIn(letters)) put({ ...unit, name: letter + name, size: [factor, ...size], note: undefined })
        if (isIn(words)) put({ ...unit, name: word + name, size: [factor, ...size], note: undefined })
      }
    }
  }
  return units
}

function isNumber([size = '']: readonly string[]): number {
  return Number(/^\d/.test(size))
}

/** Reads a product such as `lbf/inch2`. */
export function readUnits(text: string, units = unitsByName): UnitPower[] {
  return [...text.matchAll(/(\/?)([a-z]+)(\d?)/gi)].map(([, over, name = '', power]) => {
    return { unit: findUnit(name, units)!, power: Number(power || 1) * (over ? -1 : 1) }
  })
}
