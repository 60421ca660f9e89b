import { PREFIXED } from './prefixed-unit-table.ts'
import { type Dimensions, PLAIN, SCALES, SPELLINGS } from './unit-table.ts'

/** A unit of measure. One of it is `factors` multiplied, over `divisor`, of m, kg, s, K, A, degree, bit or mol. */
export interface Unit {
  readonly name: string
  readonly dimensions: Dimensions
  /** Decimal text, exact unless the unit involves pi. */
  readonly factors: readonly string[]
  readonly divisor: string
  /** Only temperature scales have one: it is added before the factor. They are converted, not calculated with. */
  readonly offset?: string
  /** Which of several customary units the name means, told with the result. */
  readonly note?: string
}

interface Catalogue {
  readonly byName: ReadonlyMap<string, Unit>
  /** By lower-case name; null where letter case tells units apart (mW and MW). */
  readonly byLowerCase: ReadonlyMap<string, Unit | null>
}

let catalogue: Catalogue | undefined

/** The unit of that name, whatever its spelling; undefined when there is none or when letter case leaves a choice. */
export function findUnit(name: string): Unit | undefined {
  catalogue ??= buildCatalogue()
  const spelled = Object.hasOwn(SPELLINGS, name) ? SPELLINGS[name] : name.replace(/^[µμ]/, 'u')
  const found = catalogue.byName.get(spelled ?? name)
  if (found !== undefined || name.length === 1) return found
  return catalogue.byLowerCase.get(name.toLowerCase()) ?? undefined
}

/** For suggestions. */
export function unitNames(): string[] {
  catalogue ??= buildCatalogue()
  return [...catalogue.byName.keys()]
}

/** Maps, so that `constructor` or `__proto__` is just a name that is not there. */
function buildCatalogue(): Catalogue {
  const byName = buildUnits()
  const byLowerCase = new Map<string, Unit | null>()
  for (const unit of byName.values()) {
    const lower = unit.name.toLowerCase()
    byLowerCase.set(lower, byLowerCase.has(lower) ? null : unit)
  }
  return { byName, byLowerCase }
}

function buildUnits(): ReadonlyMap<string, Unit> {
  const built = new Map<string, Unit>()
  const put = (unit: Unit) => {
    if (built.has(unit.name)) throw new Error(`The unit ${unit.name} is listed twice`)
    built.set(unit.name, unit)
  }
  for (const [names, dimensions, size, note] of PLAIN) {
    const [factor = '1', divisor = '1'] = size.split('/')
    for (const name of names.split(' ')) put({ name, dimensions, factors: [factor], divisor, note })
  }
  for (const [names, dimensions, size, prefixes, note] of PREFIXED) {
    for (const name of names.split(' ')) {
      put({ name, dimensions, factors: [size], divisor: '1', note })
      for (const prefix of prefixes.split(' ').filter(Boolean)) {
        const [letters = '', multiplier = '1'] = prefix.split(':')
        put({ name: letters + name, dimensions, factors: [multiplier, size], divisor: '1' })
      }
    }
  }
  for (const [names, offset, size] of SCALES) {
    const [factor = '1', divisor = '1'] = size.split('/')
    for (const name of names.split(' '))
      put({ name, dimensions: [0, 0, 0, 1, 0, 0, 0, 0], factors: [factor], divisor, offset })
  }
  return built
}
