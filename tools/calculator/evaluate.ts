import { ToolError } from '../tool.ts'
import type { Arithmetic } from './arithmetic.ts'
import { FUNCTIONS, plain, remainder } from './functions.ts'
import { resolveCall, resolveName } from './names.ts'
import { BigNumber, type Tree } from './parser.ts'
import {
  align,
  combine,
  convertTo,
  isScale,
  type Quantity,
  raise,
  refuseScale,
  unitText,
} from './quantity.ts'

/** A part of the expression: its value, and how it was understood. */
export interface Term extends Quantity {
  /** With the signs, spellings and grouping that were calculated. */
  readonly text: string
  /** How tightly its operator binds. */
  readonly level: number
  /** A unit or a power of one, a product of them, or a product that ends with one. */
  readonly unit?: 'one' | 'product' | 'last' | undefined
  /** A percentage or a sum of them: `10% + 5%` is 15%, there is nothing before it to be a share of. */
  readonly isShare?: boolean
}

const [IMPLICIT, PREFIX, POWER, POSTFIX, SINGLE] = [4, 5, 6, 7, 8]
/** mathjs operators by their function, and how tightly they bind; notation.ts has `.*` for "of". */
const BINARY: ReadonlyMap<string, readonly [sign: string, level: number]> = new Map([
  ['to', ['to', 1]],
  ['add', ['+', 2]],
  ['subtract', ['-', 2]],
  ['multiply', ['*', 3]],
  ['divide', ['/', 3]],
  ['mod', ['mod', 3]],
  ['dotMultiply', ['of', 3]],
  ['pow', ['^', POWER]],
])

/**
 * The value of an expression, and the expression as understood. Only what is listed here is calculated.
 * @throws {ToolError} for anything else, when there is no finite real value, or it would take too much computing
 */
export function evaluate(tree: Tree, math: Arithmetic): Term {
  switch (tree.kind) {
    case 'ConstantNode':
      if (tree.value instanceof BigNumber) return constant(tree.value, math)
      break
    case 'SymbolNode':
      return named(tree.name, math)
    case 'ParenthesisNode': {
      const inner = evaluate(tree.content, math)
      return { ...inner, text: `(${inner.text})`, level: SINGLE, unit: inner.unit && 'product' }
    }
    case 'FunctionNode':
      if (tree.fn.kind === 'SymbolNode') return call(tree.fn.name, tree.args, math)
      break
    case 'OperatorNode': {
      const [left, right] = tree.args.map(arg => evaluate(arg, math))
      if (left && right) return binary(tree.fn, tree.implicit === true, left, right, math)
      if (left) return unary(tree.fn, left, math)
    }
  }
  throw refused()
}

function refused(): ToolError {
  return new ToolError(
    'This is not arithmetic the calculator does. It takes numbers, + - * / ^ ! %, parentheses, named functions, ' +
      'constants and units; no variables, lists, comparisons or text.',
  )
}

function single({ number, units }: Quantity, text: string): Term {
  return { number, units, text, level: SINGLE }
}

const wrap = ({ text, level }: Term, least: number) => (level < least ? `(${text})` : text)

function constant(value: BigNumber, math: Arithmetic): Term {
  if (Math.abs(value.e) > 99_999 || !value.isFinite())
    throw new ToolError(`The number ${value} is out of range: exponents go up to 5,000.`)
  const text = value.e > 20 || value.e < -7 ? String(value) : value.toFixed()
  return single({ number: math.settle(value), units: [] }, text)
}

function named(name: string, math: Arithmetic): Term {
  const meaning = resolveName(name)
  if (meaning?.kind === 'constant') {
    if (meaning.digits.length > 60) math.digits = Math.min(math.digits, 60)
    return single({ number: new BigNumber(meaning.digits), units: [] }, name)
  }
  if (meaning?.kind !== 'unit') throw refused()
  if (meaning.unit.note !== undefined) math.notes.add(meaning.unit.note)
  const units = [{ unit: meaning.unit, power: 1 }]
  return { ...single({ number: new BigNumber(1), units }, unitText(units)), unit: 'one' }
}

function call(called: string, given: readonly Tree[], math: Arithmetic): Term {
  const meaning = resolveCall(called)
  const apply = FUNCTIONS.get(meaning?.name ?? '')
  if (meaning?.kind !== 'function' || apply === undefined) throw refused()
  const { name, callee } = meaning
  const count = `${given.length} argument${given.length === 1 ? '' : 's'}`
  const commas = ' Inside its parentheses commas separate arguments, so write 1234 rather than 1,234.'
  if (given.length < callee.minimum || given.length > callee.maximum)
    throw new ToolError(
      `${name} was given ${count}: write ${callee.usage}.${given.length > callee.maximum ? commas : ''}`,
    )
  const args = given.map(arg => evaluate(arg, math))
  return single(apply(math, args, name), `${name}(${args.map(({ text }) => text).join(', ')})`)
}

function unary(fn: string, operand: Term, math: Arithmetic): Term {
  const { number, units, isShare } = operand
  if (fn === 'unaryMinus' || fn === 'unaryPlus') {
    const sign = fn === 'unaryMinus' ? '-' : '+'
    const value = { number: sign === '-' ? number.neg() : number, units }
    return { ...single(value, sign + wrap(operand, PREFIX)), level: PREFIX, isShare: isShare === true }
  }
  const inner = wrap(operand, POSTFIX)
  if (fn === 'ctranspose') {
    const share = combine(math, operand, { number: new BigNumber(100), units: [] }, -1)
    return { ...single(share, `${inner}%`), level: POSTFIX, isShare: true }
  }
  const factorial = FUNCTIONS.get(fn)
  if (fn !== 'factorial' || factorial === undefined) throw refused()
  return { ...single(factorial(math, [operand], 'A factorial'), `${inner}!`), level: POSTFIX }
}

function binary(fn: string, implicit: boolean, left: Term, right: Term, math: Arithmetic): Term {
  const [sign, usual] = BINARY.get(fn) ?? []
  if (sign === undefined || usual === undefined) throw refused()
  const level = implicit ? IMPLICIT : usual
  const { number, units } = calculate(sign, left, right, math)
  const value = {
    number,
    units,
    level,
    isShare: usual === 2 && left.isShare === true && right.isShare === true,
  }
  if (sign === '^')
    return {
      ...value,
      text: `${wrap(left, POSTFIX)}^${wrap(right, PREFIX)}`,
      unit: left.unit === 'one' ? 'one' : undefined,
    }
  const byUnits = (sign === '*' || sign === '/') && isUnits(right)
  const close = byUnits && left.unit !== undefined ? sign : ` ${sign} `
  const text = wrap(left, level) + (implicit && right.unit === 'one' ? ' ' : close) + wrap(right, level + 1)
  return { ...value, text, unit: byUnits ? (isUnits(left) ? 'product' : 'last') : undefined }
}

const isUnits = ({ unit }: Term) => unit === 'one' || unit === 'product'

function calculate(sign: string, left: Term, right: Term, math: Arithmetic): Quantity {
  switch (sign) {
    case '+':
    case '-': {
      const [a, b] = align(math, sign === '+' ? 'add' : 'subtract', left, shareOf(left, right, math))
      return { ...a, number: math.add(a.number, sign === '+' ? b.number : b.number.neg()) }
    }
    case '/':
      return combine(math, left, right, -1)
    case 'mod': {
      const [a, b] = align(math, 'take the remainder of', left, right)
      return { ...a, number: remainder(math, a.number, b.number) }
    }
    case 'to':
      if (isUnits(right)) return convertTo(math, left, right.units)
      throw new ToolError(
        'A conversion needs a unit after "to", without a number: "5 km to miles", "100 km/h to mph".',
      )
    case '^': {
      const exponent = plain(right, 'An exponent')
      refuseScale(left)
      const units = left.units.length === 0 ? [] : raise(left.units, exponent.toNumber())
      return { number: math.power(left.number, exponent), units }
    }
    default:
      // A number times a temperature scale is how "72 degF" is written.
      if (right.unit === 'one' && isScale(right.units) && left.units.length === 0)
        return { ...right, number: left.number }
      return combine(math, left, right, 1)
  }
}

/** `240 + 15%`: the percentage is of what stands before it. */
function shareOf(whole: Term, share: Term, math: Arithmetic): Quantity {
  if (share.isShare !== true || whole.isShare === true) return share
  math.notes.add('A percentage after + or - was taken of the value before it: 240 + 15% is 240 * 1.15.')
  return combine(math, whole, share, 1)
}
