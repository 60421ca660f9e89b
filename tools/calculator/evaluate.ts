import { ToolError } from '../tool.ts'
import type { Arithmetic } from './arithmetic.ts'
import { FUNCTIONS, remainder } from './functions.ts'
import { resolveCall, resolveName } from './names.ts'
import { BigNumber, type Tree } from './parser.ts'
import { combine, power } from './products.ts'
import { align, bare, convertTo, type Quantity, unitText } from './quantity.ts'

/** An evaluated part of the expression: its value and how it was understood. */
export interface Term {
  readonly value: Quantity
  /** The expression as calculated, with normalised signs, spellings and grouping. */
  readonly text: string
  /** Precedence of its operator; higher binds tighter. */
  readonly level: number
  /** `unit`: a unit or product of units; `measure`: ends in a unit; `share`: a percentage or sum of percentages. */
  readonly kind?: 'unit' | 'measure' | 'share' | undefined
}

const [SUM, IMPLICIT, PREFIX, POWER, POSTFIX, SINGLE] = [2, 4, 5, 6, 7, 8]
/** mathjs function names with their sign and precedence; notation.ts writes "of" as `.*`. */
const BINARY: ReadonlyMap<string, readonly [sign: string, level: number]> = new Map([
  ['to', ['to', 1]],
  ['add', ['+', SUM]],
  ['subtract', ['-', SUM]],
  ['multiply', ['*', 3]],
  ['divide', ['/', 3]],
  ['mod', ['mod', 3]],
  ['dotMultiply', ['of', 3]],
  ['pow', ['^', POWER]],
])

/**
 * Evaluates a tree and restates it as understood. This is an allowlist: nothing else is calculated.
 * @throws {ToolError} for any other node, a result that is not finite and real, or too much work
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
      return { ...inner, text: `(${inner.text})`, level: SINGLE }
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

const wrap = ({ text, level }: Term, least: number) => (level < least ? `(${text})` : text)

function constant(value: BigNumber, math: Arithmetic): Term {
  if (!(Math.abs(value.e) < 1e5)) throw new ToolError(`${value} is out of range: exponents go up to 5,000.`)
  const text = value.e > 20 || value.e < -7 ? String(value) : value.toFixed()
  return { value: bare(math.settle(value)), text, level: SINGLE }
}

function named(name: string, math: Arithmetic): Term {
  const meaning = resolveName(name)
  if (meaning?.kind === 'constant') {
    if (meaning.digits.length > 60) math.digits = Math.min(math.digits, 60)
    return { value: bare(new BigNumber(meaning.digits)), text: name, level: SINGLE }
  }
  if (meaning?.kind !== 'unit') throw refused()
  if (meaning.unit.note !== undefined) math.notes.add(meaning.unit.note)
  const units = [{ unit: meaning.unit, power: 1 }]
  return { value: { number: new BigNumber(1), units }, text: unitText(units), level: SINGLE, kind: 'unit' }
}

function call(called: string, given: readonly Tree[], math: Arithmetic): Term {
  const meaning = resolveCall(called)
  const apply = FUNCTIONS.get(meaning?.name ?? '')
  if (meaning?.kind !== 'function' || apply === undefined) throw refused()
  const { name, callee } = meaning
  const { length } = given
  const error = `${name} was given ${length} argument${length === 1 ? '' : 's'}: write ${callee.usage}.`
  if (length < callee.minimum) throw new ToolError(error)
  if (length > callee.maximum)
    throw new ToolError(`${error} Inside its parentheses commas separate arguments: write 1234, not 1,234.`)
  const args = given.map(arg => evaluate(arg, math))
  const [values, texts] = [args.map(({ value }) => value), args.map(({ text }) => text)]
  return { value: apply(math, values, name), text: `${name}(${texts.join(', ')})`, level: SINGLE }
}

function unary(fn: string, operand: Term, math: Arithmetic): Term {
  const { number, units } = operand.value
  const [prefix, inner] = [wrap(operand, PREFIX), wrap(operand, POSTFIX)]
  const kind = operand.kind === 'share' ? 'share' : undefined
  switch (fn) {
    case 'unaryMinus':
      return { value: { number: number.neg(), units }, text: `-${prefix}`, level: PREFIX, kind }
    case 'unaryPlus':
      return { value: operand.value, text: `+${prefix}`, level: PREFIX, kind }
    case 'ctranspose': {
      const value = combine(math, operand.value, bare(new BigNumber(100)), -1)
      return { value, text: `${inner}%`, level: POSTFIX, kind: 'share' }
    }
    case 'factorial': {
      const value = FUNCTIONS.get(fn)!(math, [operand.value], 'A factorial')
      return { value, text: `${inner}!`, level: POSTFIX }
    }
  }
  throw refused()
}

function binary(fn: string, implicit: boolean, left: Term, right: Term, math: Arithmetic): Term {
  const [sign, usual] = BINARY.get(fn) ?? []
  if (sign === undefined || usual === undefined) throw refused()
  const level = implicit ? IMPLICIT : usual
  const value = calculate(sign, left, right, math)
  if (sign === '^') {
    const text = `${wrap(left, POSTFIX)}^${wrap(right, PREFIX)}`
    return { value, text, level, kind: left.kind === 'unit' ? 'unit' : undefined }
  }
  const byUnit = '*/'.includes(sign) && right.kind === 'unit'
  const isClose = byUnit && (left.kind === 'unit' || left.kind === 'measure')
  const between = byUnit && implicit ? ' ' : isClose ? sign : ` ${sign} `
  const text = wrap(left, level) + between + wrap(right, level + 1)
  if (byUnit) return { value, text, level, kind: left.kind === 'unit' ? 'unit' : 'measure' }
  const isShare = level === SUM && left.kind === 'share' && right.kind === 'share'
  return { value, text, level, kind: isShare ? 'share' : undefined }
}

function calculate(sign: string, { value: left, kind }: Term, right: Term, math: Arithmetic): Quantity {
  switch (sign) {
    case '+':
    case '-': {
      const isShare = right.kind === 'share' && kind !== 'share'
      if (isShare)
        math.notes.add('A percentage after + or - was taken of the value before it: 240 + 15% is 240 * 1.15.')
      const added = isShare ? combine(math, left, right.value, 1) : right.value
      const [a, b] = align(math, sign === '+' ? 'add' : 'subtract', left, added)
      return { number: math.add(a.number, sign === '+' ? b.number : b.number.neg()), units: a.units }
    }
    case '/':
      return combine(math, left, right.value, -1)
    case 'mod': {
      const [a, b] = align(math, 'take the remainder of', left, right.value)
      return { number: remainder(math, a.number, b.number), units: a.units }
    }
    case 'to':
      if (right.kind === 'unit') return convertTo(math, left, right.value.units)
      throw new ToolError(
        'A conversion needs a unit after "to", without a number: "5 km to miles", "9 km/h to mph".',
      )
    case '^':
      return power(math, left, right.value)
    default:
      return combine(math, left, right.value, 1)
  }
}
