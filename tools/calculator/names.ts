import { distance } from 'fastest-levenshtein'
import { BigNumber, irrational } from './arithmetic.ts'
import { type Callee, FUNCTIONS } from './functions.ts'
import { hintFor } from './hints.ts'
import names from './names.json' with { type: 'json' }
import { findUnit, type Unit, unitsByName } from './units.ts'

/** What a name in an expression means, with its canonical spelling. */
type Meaning =
  | Callee
  | { readonly kind: 'constant'; readonly name: string; readonly value: BigNumber }
  | { readonly kind: 'unit'; readonly name: string; readonly unit: Unit }

const CONSTANTS: ReadonlyMap<string, BigNumber> = new Map(
  Object.entries(names.constants).map(([name, digits]) => [name, irrational(new BigNumber(digits))]),
)
/** In lower case, except C and P, which are functions only when called. */
const ALIASES: ReadonlyMap<string, string> = new Map(Object.entries(names.aliases))

/** Finds a function, constant or unit; case matters only where it distinguishes units (mW and MW). */
export function resolveName(typed: string): Meaning | undefined {
  const name = ALIASES.get(typed.toLowerCase()) ?? typed
  const lower = name.toLowerCase()
  // Without parentheses these are minutes and seconds.
  const callee = lower === 'min' || lower === 'sec' ? undefined : FUNCTIONS.get(lower)
  if (callee !== undefined) return callee
  // A capital E is more likely a slip in 1E5 than the constant.
  const value = name === 'E' ? undefined : CONSTANTS.get(lower)
  if (value !== undefined) return { kind: 'constant', name: lower, value }
  const unit = findUnit(name)
  return unit && { kind: 'unit', name: unit.name, unit }
}

/** Like `resolveName`, for a name before a parenthesis. */
export function resolveCall(typed: string): Meaning | undefined {
  return FUNCTIONS.get(ALIASES.get(typed) ?? typed.toLowerCase()) ?? resolveName(typed)
}

/** One sentence about an unknown name: a specific hint, similar names, or everything available. */
export function suggest(typed: string): string {
  const lower = typed.slice(0, 40).toLowerCase()
  const hint = hintFor(typed)
  if (hint !== undefined) return hint
  const functions = [...FUNCTIONS.values()].map(({ name }) => name)
  const near = [...functions, ...CONSTANTS.keys(), ...unitsByName.keys()]
    .map(name => ({ name, away: distance(lower, name.toLowerCase()) }))
    .filter(({ away }) => away <= Math.min(2, Math.floor(lower.length / 2)))
    .sort((left, right) => left.away - right.away)
    .map(({ name }) => name)
  if (near.length > 0) return `Did you mean ${near.slice(0, 5).join(', ')}?`
  return `Functions: ${functions.join(', ')}. Constants: ${[...CONSTANTS.keys()].join(', ')}. ${names.units}`
}
