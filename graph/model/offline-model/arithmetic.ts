import { resolveCall } from '../../../tools/calculator/names.ts'
import { wordedValues } from './arithmetic-phrases.ts'
import { readFraction, readNumber } from './number.ts'
import { operators } from './operators.ts'
import { asking, type FoundTerm, type Term } from './term.ts'
import type { Found, Text } from './text.ts'
import { readUnit } from './unit.ts'

const { readNumbered, readWordedValue } = wordedValues({ readUnary, readValue })

const SUMS = operators(['+, plus, added to', '+'], ['-, −, –, minus', '-'])
const SIGNS = operators(['+, plus', '+'], ['-, −, –, minus, negative', '-'])
const PRODUCTS = operators(
  ['*, ×, ·, ⋅, ✕, x, times, multiplied by, multiplied with', '*'],
  ['/, ÷, ∕, divided by, over', '/'],
  ['mod, modulo, modulus', 'mod'],
)
const POWERS = operators([
  '^, **, to the power of, to the power, raised to the power of, raised to the power',
  '^',
])
const RAISED = operators(['squared, ²', '^2'], ['cubed, ³', '^3'])
const FACTORIAL = operators(['!, factorial', '!'])
const ROOTS = operators(['√', 'sqrt'], ['∛', 'cbrt'])
const CONSTANTS = operators(
  ['pi, π', 'pi'],
  ['tau, τ', 'tau'],
  ['phi, φ, the golden ratio, golden ratio', 'phi'],
  ["e, euler's number", 'e'],
)
const ORDINAL = /(?:raised )?to the (\d{1,3})(?:st|nd|rd|th)\b(?: power)?/y
const CALL = /([a-z][a-z\d]*) ?\(/y

/** Reads the longest sum, product or single value at a position. */
export function readSum(text: Text, at: number, inList = false): FoundTerm {
  let left = readProduct(text, at, inList)
  while (left && !left.value.closed) {
    const sign = SUMS(text, left.end)
    const right = sign && readProduct(text, sign.end, inList)
    if (!right) break
    left = join(left, ` ${sign.value} `, right)
  }
  return left
}

function readProduct(text: Text, at: number, inList: boolean): FoundTerm {
  let left = readUnary(text, at, inList)
  while (left && !left.value.closed) {
    const sign = productSign(text, left)
    const right = sign && readUnary(text, sign.end, inList)
    if (!right) break
    left = join(left, sign.value, right)
  }
  return left
}

/** An operator, "of" after a share (`15% of`, `3/4 of`), or none at all before a parenthesis or constant. */
function productSign(text: Text, { end, value }: Found<Term>): Found<string> | undefined {
  const sign = PRODUCTS(text, end)
  if (sign) return { end: sign.end, value: ` ${sign.value} ` }
  const of = text.literal('of', end)
  const isShare = value.kind === 'percent' || /^\d+ \/ \d+$/.test(value.code)
  if (of !== undefined) return isShare ? { end: of, value: ' of ' } : undefined
  if (text.match(/%(?= *[\d(])/y, end)) return { end: text.skip(end) + 1, value: ' % ' }
  const isImplicit = text.match(/\(|pi\b|π/y, end) && value.kind !== 'quantity' && value.kind !== 'percent'
  return isImplicit ? { end, value: ' * ' } : undefined
}

export function readUnary(text: Text, at: number, inList: boolean): FoundTerm {
  const sign = SIGNS(text, at)
  if (!sign) return readPower(text, at, inList)
  const operand = text.nested(() => readUnary(text, sign.end, inList))
  return operand && { end: operand.end, value: { ...operand.value, code: sign.value + operand.value.code } }
}

function readPower(text: Text, at: number, inList: boolean): FoundTerm {
  let base = readValue(text, at, inList)
  while (base && !base.value.closed) {
    const { end, value } = base
    const raised = RAISED(text, end)
    const ordinal = text.match(ORDINAL, end)
    const sign = POWERS(text, end)
    const exponent = sign && readExponent(text, sign.end, inList)
    if (raised) base = { end: raised.end, value: asking(value.code + raised.value) }
    else if (ordinal)
      base = { end: ordinal.index + ordinal[0].length, value: asking(`${value.code}^${ordinal[1]}`) }
    else if (exponent) base = join(base, '^', exponent)
    else break
  }
  return base
}

/** After words, as in "8 to the power of 1/3", a fraction is the exponent; after a sign only its first number is. */
function readExponent(text: Text, at: number, inList: boolean): FoundTerm {
  const fraction = /[a-z]/.test(text.plain[at - 1] ?? '') ? readFraction(text, at) : undefined
  return fraction
    ? { end: fraction.end, value: asking(fraction.value) }
    : text.nested(() => readUnary(text, at, inList))
}

/** A value with what follows it closely: a unit, a percent sign, "factorial". */
export function readValue(text: Text, at: number, inList = false): FoundTerm {
  let found = readPrimary(text, at, inList)
  while (found && !found.value.closed) {
    const { end, value } = found
    const bang = FACTORIAL(text, end)?.end
    // A percent sign before a value is the remainder.
    const percent = text.match(/%(?! *[\d(])|(?:percent|per cent)\b/y, end)
    const unit = value.kind === 'number' || value.kind === 'quantity' ? readQuantity(text, found) : undefined
    if (percent && value.kind !== 'percent') {
      const term: Term = { ...value, code: `${value.code}%`, kind: 'percent' }
      found = { end: percent.index + percent[0].length, value: term }
    } else if (bang !== undefined && text.plain[end - 1] !== '!')
      found = { end: bang, value: asking(`${value.code}!`) }
    else if (unit) found = unit
    else break
  }
  return found
}

/** `5 km`, and after a quantity another number with its unit: `5 ft 3 in`. */
function readQuantity(text: Text, { end, value }: Found<Term>): FoundTerm {
  const number = value.kind === 'quantity' ? readNumber(text, end) : undefined
  const unit = value.kind === 'quantity' && !number ? undefined : readUnit(text, number?.end ?? end)
  if (!unit) return undefined
  const code = `${value.code}${number ? ` ${number.value}` : ''} ${unit.value}`
  return { end: unit.end, value: { code, asks: value.asks, kind: 'quantity' } }
}

function readPrimary(text: Text, at: number, inList: boolean): FoundTerm {
  const number = readNumber(text, at, inList)
  if (number) {
    const worded = text.once(readNumbered, number.end, () => text.nested(() => readNumbered(text, number)))
    return worded ?? { end: number.end, value: { code: number.value, asks: false, kind: 'number' } }
  }
  const open = text.literal('(', at)
  if (open !== undefined) {
    const inner = text.nested(() => readSum(text, open))
    const close = inner && text.literal(')', inner.end)
    const kind = inner?.value.kind === 'number' ? 'number' : 'other'
    return close === undefined
      ? undefined
      : { end: close, value: { code: `(${inner?.value.code})`, asks: inner?.value.asks === true, kind } }
  }
  const root = ROOTS(text, at)
  const radicand = root && readValue(text, root.end, inList)
  if (radicand) return { end: radicand.end, value: asking(`${root.value}(${radicand.value.code})`) }
  const call = readCall(text, at)
  if (call) return call
  const constant = CONSTANTS(text, at)
  if (constant)
    return {
      end: constant.end,
      value: { code: constant.value, asks: constant.value === 'pi', kind: 'other' },
    }
  return text.once(readWordedValue, text.skip(at), () => text.nested(() => readWordedValue(text, at)))
}

/** A function of the calculator with its arguments in parentheses. */
function readCall(text: Text, at: number): FoundTerm {
  const call = text.match(CALL, at)
  const meaning = call && resolveCall(call[1]!)
  if (!call || meaning?.kind !== 'function') return undefined
  const isList = meaning.callee.maximum > 1
  const codes: string[] = []
  for (let next = call.index + call[0].length; ; ) {
    const argument = text.nested(() => readSum(text, next, isList))
    if (!argument) return undefined
    codes.push(argument.value.code)
    const close = text.literal(')', argument.end)
    if (close !== undefined) return { end: close, value: asking(`${meaning.name}(${codes.join(', ')})`) }
    const comma = text.literal(',', argument.end)
    if (comma === undefined) return undefined
    next = comma
  }
}

function join(left: Found<Term>, sign: string, right: Found<Term>): Found<Term> {
  const kind = [left, right].some(({ value }) => value.kind === 'quantity') ? 'quantity' : 'other'
  const code = left.value.code + sign + right.value.code
  return { end: right.end, value: { code, asks: true, kind, closed: right.value.closed === true } }
}
