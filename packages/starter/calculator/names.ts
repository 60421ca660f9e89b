import { ToolError } from '@agent-task-service/engine/tool'
import { type Arithmetic, type Real, readNumber } from './arithmetic.ts'
import { type Callee, FUNCTIONS } from './functions.ts'
import names from './names.json' with { type: 'json' }
import { findUnit, type Unit } from './units.ts'

/** What a name in an expression means, with its canonical spelling. */
type Meaning =
  | Callee
  | { readonly kind: 'constant'; readonly name: string; readonly value: (math: Arithmetic) => Real }
  | { readonly kind: 'unit'; readonly name: string; readonly unit: Unit }

const CONSTANTS = new Map<string, (math: Arithmetic) => Real>([
  ['pi', math => math.pi],
  ['e', math => math.e],
  ...Object.entries(names.numbers).map(([name, size]) => [name, () => readNumber(size)] as const),
])
/** In lower case, except C and P, which are functions only when called. */
const ALIASES: ReadonlyMap<string, string> = new Map(Object.entries(names.aliases))

/**
 * Finds a function, constant or unit; case matters only where it distinguishes units (mW and MW).
 * @param isCalled whether a parenthesis follows: without one, `min` and `sec` are units, with one, C and P functions
 */
export function resolveName(typed: string, isCalled = false): Meaning | undefined {
  const name = (isCalled && ALIASES.get(typed)) || (ALIASES.get(typed.toLowerCase()) ?? typed)
  const lower = name.toLowerCase()
  const callee = isCalled || lower !== 'min' ? FUNCTIONS.get(lower) : undefined
  if (callee !== undefined) return callee
  // A capital E is more likely a slip in 1E5 than the constant.
  const value = name === 'E' ? undefined : CONSTANTS.get(lower)
  if (value !== undefined) return { kind: 'constant', name: lower, value }
  const unit = findUnit(name)
  return unit && { kind: 'unit', name: unit.name, unit }
}

/**
 * @param isCalled whether it is to be a function
 * @throws {ToolError} saying what to write instead of a name such as `NM`, or what can be named
 */
export function unknownName(name: string, isCalled = false): never {
  const hint = Object.entries(names.hints).find(([list]) =>
    list.split(', ').includes(name.toLowerCase()),
  )?.[1]
  const functions = [...FUNCTIONS.values()].map(callee => callee.name)
  const all = isCalled ? `Functions: ${functions.join(', ')}.` : names.known
  throw new ToolError(`Unknown name "${name.slice(0, 40)}". ${hint ?? all}`)
}
