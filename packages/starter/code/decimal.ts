import type { Decimal } from 'decimal.js'
import { Exact } from '../table/numbers.ts'

/** Of a quotient that does not end. */
const DIGITS = 30
const MOST_PLACES = 100
const NUMBER = /^-?\d{1,100}(?:\.\d{1,100})?(?:e[+-]?\d{1,3})?$/
const ZERO = new Exact(0)

const sum = (numbers: readonly Decimal[]) => numbers.reduce((total, one) => total.plus(one), ZERO)
const OPERATIONS: Readonly<Record<string, (numbers: readonly Decimal[]) => Decimal | string>> = {
  sum,
  decimal: sum,
  plus: sum,
  minus: ([one = ZERO, other = ZERO]) => one.minus(other),
  times: ([one = ZERO, other = ZERO]) => one.times(other),
  div: ([one = ZERO, other = ZERO]) => one.div(other).toSignificantDigits(DIGITS),
  toFixed: ([one = ZERO, places = ZERO]) => one.toFixed(Math.min(places.toNumber(), MOST_PLACES)),
}

/**
 * Exact arithmetic for the sandbox.
 *
 * @param list numbers as texts, in JSON
 * @returns `value`, one of JavaScript's own, or `exact`, the text of a decimal, or `error`
 */
export function decimal(name: string, list: string): { value?: unknown; exact?: string; error?: string } {
  const texts: readonly string[] = JSON.parse(list)
  const odd = texts.find(text => !NUMBER.test(text))
  if (odd !== undefined)
    return {
      error: `${name}: ${JSON.stringify(odd.slice(0, 60))} is no number: leave such values out by .filter(x => isFinite(x))`,
    }
  const value = OPERATIONS[name]!(texts.map(text => new Exact(text)))
  if (typeof value === 'string') return { value }
  return name === 'sum' && value.eq(value.toNumber()) ? { value: value.toNumber() } : { exact: `${value}` }
}
