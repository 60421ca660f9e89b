import { distance } from 'fastest-levenshtein'
import { findUnit, type Unit, unitsByName } from './units.ts'

type Callee = { readonly minimum: number; readonly maximum: number; readonly usage: string }

/** What a name in an expression stands for, with its one spelling. */
export type Meaning =
  | { readonly kind: 'function'; readonly name: string; readonly callee: Callee }
  | { readonly kind: 'constant'; readonly name: string; readonly digits: string }
  | { readonly kind: 'unit'; readonly name: string; readonly unit: Unit }

/** `?` marks what may be left out, `...` any number more; functions.ts has the work of each. */
const FUNCTIONS = `
  abs(x) sign(x) floor(x) ceil(x) trunc(x) round(x, places?) sqrt(x) cbrt(x) nthRoot(x, n?) min(a, ...) max(a, ...)
  sum(a, ...) product(a, ...) mean(a, ...) median(a, ...) std(a, ...) stdp(a, ...) hypot(a, ...) pow(x, y) exp(x)
  expm1(x) ln(x) log(x, base?) log10(x) log2(x) log1p(x) sin(angle) cos(angle) tan(angle) sec(angle) csc(angle)
  cot(angle) asin(x) acos(x) atan(x) atan2(y, x) sinh(x) cosh(x) tanh(x) asinh(x) acosh(x) atanh(x) factorial(n)
  permutations(n, k?) combinations(n, k) gcd(a, b, ...) lcm(a, b, ...) mod(a, b)`
const MOST_ARGUMENTS = 300

/** Irrational ones to 64 digits. */
const CONSTANTS = pairs(`
  pi 3.141592653589793238462643383279502884197169399375105820974944592
  tau 6.283185307179586476925286766559005768394338798750211641949889185
  e 2.718281828459045235360287471352662497757247093699959574966967628
  phi 1.618033988749894848204586834365638117720309179805762862135448623
  dozen 12 gross 144 hundred 100 thousand 1000 lakh 100000 million 1000000 crore 10000000 billion 1000000000
  trillion 1000000000000`)

/** In lower case, but for C and P, which only are functions where they are called. */
const ALIASES = pairs(`
  arcsin asin arccos acos arctan atan average mean avg mean fix trunc root nthroot lg log10 log_10 log10 log_2 log2
  npr permutations ncr combinations choose combinations C combinations P permutations π pi τ tau φ phi
  dozens dozen millions million billions billion`)

const HINTS = `
  off: Write a discount as a subtraction: 150 - 20%.
  x, y, n: Variables are not supported: put the number in.
  k, m: Write thousand or million.
  i: Complex numbers are not supported.
  infinity, nan: Infinity and NaN are not numbers to calculate with.
  and, or, not, xor, true, false: Logic is not supported: give one arithmetic expression.
  usd, eur, gbp, jpy, dollars, euros: There are no exchange rates here: give bare numbers.`

/** A map, so that `constructor` or `__proto__` is just a name that is not there. */
function pairs(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(/(\S+)\s(\S+)/g)].map(([, name = '', value = '']) => [name, value]))
}

/** By lower-case name. */
const SIGNATURES: ReadonlyMap<string, Extract<Meaning, { kind: 'function' }>> = new Map(
  [...FUNCTIONS.matchAll(/(\w+)\((.*?)\)/g)].map(([, name = '', list = '']) => {
    const all = list.split(', ')
    const required = all.filter(one => !/[?.]/.test(one))
    const short = list.includes('?') ? `${name}(${required.join(', ')}) or ` : ''
    const usage = `${short}${name}(${list.replace('?', '')})`
    const maximum = list.includes('...') ? MOST_ARGUMENTS : all.length
    return [
      name.toLowerCase(),
      { kind: 'function', name, callee: { minimum: required.length, maximum, usage } },
    ]
  }),
)

/** Finds a function, constant or unit; case matters only where it tells two apart (mW and MW). */
export function resolveName(typed: string): Meaning | undefined {
  const name = ALIASES.get(typed.toLowerCase()) ?? typed
  const lower = name.toLowerCase()
  // Without parentheses `min` is the minute.
  const callee = lower === 'min' ? undefined : SIGNATURES.get(lower)
  if (callee !== undefined) return callee
  // A capital E is not the constant: it is more likely a slip in 1E5.
  const digits = name === 'E' ? undefined : CONSTANTS.get(lower)
  if (digits !== undefined) return { kind: 'constant', name: lower, digits }
  const unit = findUnit(name)
  return unit && { kind: 'unit', name: unit.name, unit }
}

/** The same for a name before a parenthesis. */
export function resolveCall(typed: string): Meaning | undefined {
  return SIGNATURES.get(ALIASES.get(typed) ?? typed.toLowerCase()) ?? resolveName(typed)
}

/** One sentence for an unknown name: what is wrong with it, near names, or what there is. */
export function suggest(typed: string): string {
  const lower = typed.slice(0, 40).toLowerCase()
  const hint = [...HINTS.matchAll(/(\w.*?): (.*)/g)].find(([, names = '']) =>
    names.split(', ').includes(lower),
  )
  if (hint?.[2] !== undefined) return hint[2]
  const functions = [...SIGNATURES.values()].map(({ name }) => name)
  const near = [...functions, ...CONSTANTS.keys(), ...unitsByName.keys()]
    .map(name => ({ name, away: distance(lower, name.toLowerCase()) }))
    .filter(({ away }) => away <= Math.min(2, Math.floor(lower.length / 2)))
    .sort((left, right) => left.away - right.away)
    .map(({ name }) => name)
  if (near.length > 0) return `Did you mean ${near.slice(0, 5).join(', ')}?`
  return (
    `Functions: ${functions.join(', ')}. Constants: ${[...CONSTANTS.keys()].join(', ')}. ` +
    'Units: m, km, mi, ft, kg, lb, s, min, h, day, L, gal, degC, degF, K, J, kWh, W, Pa, MB, GiB, deg, rad and others.'
  )
}
