import { distance } from 'fastest-levenshtein'
import { ANGLE_FUNCTIONS, PI } from './angle-functions.ts'
import type { CalculatorFunction } from './function.ts'
import { NUMBER_FUNCTIONS } from './number-functions.ts'
import { QUANTITY_FUNCTIONS } from './quantity-functions.ts'
import { findUnit, type Unit, unitNames } from './units.ts'
import { WHOLE_FUNCTIONS } from './whole-functions.ts'

/** What a name in an expression stands for, with its one spelling. */
export type Meaning =
  | { readonly kind: 'function'; readonly name: string; readonly callee: CalculatorFunction }
  | { readonly kind: 'constant'; readonly name: string; readonly digits: string }
  | { readonly kind: 'unit'; readonly name: string; readonly unit: Unit }

const LISTED = { ...QUANTITY_FUNCTIONS, ...NUMBER_FUNCTIONS, ...ANGLE_FUNCTIONS, ...WHOLE_FUNCTIONS }
const FUNCTION_NAMES = Object.keys(LISTED)
// By lower-case name. Maps, so that `constructor` or `__proto__` is just a name that is not there.
const FUNCTIONS: ReadonlyMap<string, Extract<Meaning, { kind: 'function' }>> = new Map(
  Object.entries(LISTED).map(([name, callee]) => [name.toLowerCase(), { kind: 'function', name, callee }]),
)

/** Rounded to 64 digits. */
const CONSTANTS: ReadonlyMap<string, string> = new Map([
  ['pi', PI],
  ['tau', '6.283185307179586476925286766559005768394338798750211641949889185'],
  ['e', '2.718281828459045235360287471352662497757247093699959574966967628'],
  ['phi', '1.618033988749894848204586834365638117720309179805762862135448623'],
])

const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ['π', 'pi'],
  ['τ', 'tau'],
  ['φ', 'phi'],
])

const SUGGESTIONS = 5

/** Finds a function, constant or unit; case matters only where it tells two apart (mW and MW). */
export function resolveName(typed: string): Meaning | undefined {
  const name = SPELLINGS.get(typed) ?? typed
  const lower = name.toLowerCase()
  // Without parentheses `min` is the minute.
  const callee = lower === 'min' ? undefined : FUNCTIONS.get(lower)
  if (callee !== undefined) return callee
  // A capital E is not the constant: it is more likely a slip in 1E5.
  const digits = name === 'E' ? undefined : CONSTANTS.get(lower)
  if (digits !== undefined) return { kind: 'constant', name: lower, digits }
  const unit = findUnit(name)
  return unit === undefined ? undefined : { kind: 'unit', name: unit.name, unit }
}

/** The same for a name before a parenthesis. */
export function resolveCall(typed: string): Meaning | undefined {
  return FUNCTIONS.get(typed.toLowerCase()) ?? resolveName(typed)
}

/** One sentence for an unknown name: near names, or what there is. */
export function suggest(typed: string): string {
  const lower = typed.slice(0, 40).toLowerCase()
  const limit = Math.min(2, Math.floor(lower.length / 2))
  const near = [...FUNCTION_NAMES, ...CONSTANTS.keys(), ...unitNames()]
    .map(name => ({ name, distance: distance(lower, name.toLowerCase()) }))
    .filter(candidate => candidate.distance <= limit)
    .sort((left, right) => left.distance - right.distance)
    .slice(0, SUGGESTIONS)
    .map(({ name }) => name)
  if (near.length > 0) return `Did you mean ${near.join(', ')}?`
  return (
    `Functions: ${FUNCTION_NAMES.join(', ')}. Constants: ${[...CONSTANTS.keys()].join(', ')}. ` +
    'Units: m, km, mi, ft, kg, lb, s, min, h, day, L, gal, degC, degF, K, J, kWh, W, Pa, MB, GiB, deg, rad and others.'
  )
}
