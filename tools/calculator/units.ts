import { PREFIXES, SCALES, SPELLINGS, UNITS } from './unit-table.ts'

/** A unit of measure. */
export interface Unit {
  readonly name: string
  /** Powers of metre, kilogram, second, kelvin, ampere, degree, bit and mole. */
  readonly dimensions: readonly number[]
  /** The same as text, to compare. */
  readonly kind: string
  /** One of it in these, as factors: decimals, quotients, or units with their powers. */
  readonly size: readonly (string | UnitPower)[]
  /** Only temperature scales have one: it is added before the size. They are converted, not calculated with. */
  readonly offset?: string
  /** Which of several customary units the name means, said with the result. */
  readonly note?: string | undefined
}

export interface UnitPower {
  readonly unit: Unit
  /** A whole number, not zero. */
  readonly power: number
}

const BASES = ['m', 'kg', 's', 'K', 'A', 'deg', 'bit', 'mol']
// Maps, so that `constructor` or `__proto__` is just a name that is not there.
const byName = new Map<string, Unit>()
/** By lower-case name; undefined where letter case tells units apart (mW and MW). */
const byLowerCase = new Map<string, Unit | undefined>()
const spellings = new Map(
  [...SPELLINGS.matchAll(/([^\s,]+) (\w+)/g)].map(([, typed = '', name = '']) => [typed, name]),
)

/** The unit of that name, whatever its spelling; undefined when there is none or when letter case leaves a choice. */
export function findUnit(name: string): Unit | undefined {
  if (byName.size === 0) readTable()
  const spelled = spellings.get(name) ?? name.replace(/^[µμ]/, 'u')
  const found = byName.get(spelled) ?? (name.length > 1 ? byLowerCase.get(name.toLowerCase()) : undefined)
  if (found !== undefined || !/...s$/i.test(name)) return found
  const singular = findUnit(name.slice(0, -1))
  return singular && singular.name.length > 2 ? { ...singular, name: `${singular.name}s` } : undefined
}

/** For suggestions. */
export function unitNames(): string[] {
  if (byName.size === 0) readTable()
  return [...byName.keys()]
}

function put(name: string, unit: Omit<Unit, 'name' | 'kind'>): void {
  if (byName.has(name)) throw new Error(`The unit ${name} is listed twice`)
  const named = { ...unit, name, kind: String(unit.dimensions) }
  byName.set(name, named)
  byLowerCase.set(name.toLowerCase(), byLowerCase.has(name.toLowerCase()) ? undefined : named)
}

function readTable(): void {
  const prefixes = [...PREFIXES.matchAll(/(\w+) (\w+) ([\de-]+)/g)]
  for (const [, base = '', row = ''] of UNITS.matchAll(/^(.*)\| (.*)$/gm)) {
    const dimensions = readDimensions(base)
    for (const [, names = '', text = '', note] of row.matchAll(/([^=;]+) = ([^ ;]+)(?: "(.*)")?/g)) {
      const size = readSize(text)
      for (const [, name = '', letters = '', words = ''] of names.matchAll(/(\w+):?(\w*)~?(\w*)/g)) {
        put(name, { dimensions, size, note })
        for (const [, letter = '', word = '', factor = ''] of prefixes) {
          const isIn = (set: string) => set.includes(letter) || (letter.endsWith('i') && set.endsWith('i'))
          if (isIn(letters)) put(letter + name, { dimensions, size: [factor, ...size], note })
          if (isIn(words)) put(word + name, { dimensions, size: [factor, ...size], note })
        }
      }
    }
  }
  for (const [, names = '', size = '', offset = ''] of SCALES.matchAll(/^(.+) = (.+) \+ (.+)$/gm))
    for (const name of names.split(' ')) put(name, { dimensions: readDimensions('K'), size: [size], offset })
}

/** Reads `m2 kg s-2`. */
function readDimensions(text: string): number[] {
  const powers = new Map([...text.matchAll(/([a-zA-Z]+)(-?\d*)/g)].map(([, base, power]) => [base, power]))
  return BASES.map(base => (powers.has(base) ? Number(powers.get(base) || 1) : 0))
}

/** Reads `0.45359237`, `5/9`, `180/pi` or `lbf/inch2`. */
function readSize(text: string): Unit['size'] {
  if (/^\d/.test(text)) return [text]
  return [...text.matchAll(/(\/?)([a-z]+)(\d?)/gi)].map(([, over, name = '', power]) => {
    return { unit: findUnit(name)!, power: Number(power || 1) * (over ? -1 : 1) }
  })
}
