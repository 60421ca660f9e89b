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
    const powers = new Map([...base.matchAll(/([a-zA-Z]+)(-?\d*)/g)].map(([, name, power]) => [name, power]))
    const dimensions = BASES.map(name => (powers.has(name) ? Number(powers.get(name) || 1) : 0))
    for (const [names, given] of Object.entries<string | string[]>(list)) {
      const [sizes = '', note] = [given].flat()
      const [size = '', offset] = sizes.split('+')
      const unit = { dimensions, size, offset, prefix: '1' }
      for (const [, name = '', letters = '', words = ''] of names.matchAll(/(\w+):?(\w*)~?(\w*)/g)) {
        yield { ...unit, name, note }
        for (const [letter, [word, prefix = '']] of Object.entries(table.prefixes)) {
          const isIn = (set: string) => set.includes(letter) || (letter.endsWith('i') && set.endsWith('i'))
          if (isIn(letters)) yield { ...unit, prefix, name: letter + name }
          if (isIn(words)) yield { ...unit, prefix, name: word + name }
        }
      }
    }
  }
}
