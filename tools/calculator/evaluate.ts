import { ToolError } from '../tool.ts'
import { type Arithmetic, Fraction, ONE, readNumber } from './arithmetic.ts'
import { factorial, mod } from './functions.ts'
import { resolveName } from './names.ts'
import { type Node, type Operation, readable } from './parser.ts'
import { align, bare, combine, convertTo, power, type Quantity } from './quantity.ts'

/** `isShare`: a percentage or sum of percentages. */
type Value = Quantity & { readonly isShare?: boolean }

const refused = () =>
  new ToolError('Write numbers, + - * / ^ ! %, parentheses, functions, constants and units; nothing else.')

/** @throws {ToolError} when this is no arithmetic, has no finite and real result, or is too much work */
export function evaluate(node: Node, math: Arithmetic): Value {
  switch (node.type) {
    case 'ConstantNode':
      // Numbers as typed; mathjs's own constants, such as true, are no text.
      if (typeof node.value === 'string') return bare(math.settle(readNumber(node.value)))
      throw refused()
    case 'SymbolNode':
      return named(math, node.name)
    case 'ParenthesisNode':
      return evaluate(node.content, math)
    case 'FunctionNode':
      return call(math, node.fn.name, node.args)
    case 'OperatorNode': {
      const [left, right] = node.args.map(arg => evaluate(arg, math)) as [Value, Value?]
      noteOtherReading(math, node, left, right)
      return right ? binary(math, node.op, left, right) : unary(math, node.op, left)
    }
    default:
      throw refused()
  }
}

function named(math: Arithmetic, name: string): Quantity {
  const meaning = resolveName(name)
  if (meaning?.kind === 'constant') return bare(meaning.value(math))
  if (meaning?.kind !== 'unit') throw refused()
  if (meaning.unit.note !== undefined) math.notes.add(meaning.unit.note)
  return { number: ONE, units: [{ unit: meaning.unit, power: 1 }] }
}

function call(math: Arithmetic, called: string, args: readonly Node[]): Quantity {
  const callee = resolveName(called, true)
  if (callee?.kind !== 'function') throw refused()
  const { name, usage, minimum, maximum, apply } = callee
  if (args.length < minimum || args.length > maximum)
    throw new ToolError(
      `${name} takes other arguments than these ${args.length}, which commas separate: write ${usage}.`,
    )
  const values = args.map(arg => evaluate(arg, math))
  return apply(math, values, name)
}

function unary(math: Arithmetic, sign: string, value: Value): Value {
  if (sign === '+') return value
  if (sign === '-') return { ...value, number: math.negate(value.number) }
  if (sign === '!') return factorial(math, [value], 'A factorial')
  if (sign === "'") return { ...combine(math, value, bare(new Fraction(100)), -1), isShare: true }
  throw refused()
}

function binary(math: Arithmetic, sign: string, left: Value, right: Value): Value {
  switch (sign) {
    case '*':
    case '.*':
      return combine(math, left, right, 1)
    case '/':
      return combine(math, left, right, -1)
    case 'mod':
      return mod(math, [left, right], 'the remainder')
    case '^':
      return power(math, left, right)
    case 'to':
      if (right.units.length > 0 && math.compare(right.number, ONE) === 0)
        return convertTo(math, left, right.units)
      throw new ToolError('A conversion needs a unit after "to", without a number: "5 km to miles".')
    case '+':
    case '-':
      return sum(math, sign, left, right)
    default:
      throw refused()
  }
}

function sum(math: Arithmetic, sign: '+' | '-', left: Value, right: Value): Value {
  const isOfLeft = !!right.isShare && !left.isShare
  if (isOfLeft)
    math.notes.add('A percentage after + or - was taken of the value before it: 240 + 15% is 240 * 1.15.')
  const verb = sign === '+' ? 'add' : 'subtract'
  const other = align(math, verb, left, isOfLeft ? combine(math, left, right, 1) : right)
  const isShare = !!left.isShare && !!right.isShare
  return { ...left, number: math[verb](left.number, other.number), isShare }
}

const isQuotient = (node: Node): node is Operation => node.type === 'OperatorNode' && node.op === '/'
const isProduct = (node?: Node): node is Operation => node?.type === 'OperatorNode' && node.implicit

/** Says how `2 / 3 km`, `6/2(1+2)`, `-2^2`, `2^3^2` and `9 km / 3 km/h` were read, which people read in two ways. */
function noteOtherReading(
  math: Arithmetic,
  { op, args, implicit }: Operation,
  left: Value,
  right?: Value,
): void {
  const [first, second] = args as [Node, Node?]
  const hasUnits = left.units.length > 0 && right && right.units.length > 0
  const note = (read: string, other: string) =>
    math.notes.add(readable(`Read as ${read}; the other reading is ${other}.`))
  if (implicit && isQuotient(first))
    note(`(${first}) ${second}`, `${first.args[0]} / (${first.args[1]} ${second})`)
  if (op === '/' && isProduct(second) && !hasUnits)
    note(`${first} / (${second})`, `${first} / ${second.args[0]} * ${second.args[1]}`)
  if (op === '/' && second?.type === 'SymbolNode' && isQuotient(first) && isProduct(first.args[1]))
    note(`(${first}) / ${second}`, `${first.args[0]} / (${first.args[1]} / ${second})`)
  if (op === '^' && second?.type === 'OperatorNode' && second.op === '^')
    note(`${first}^(${second})`, `(${first}^${second.args[0]})^${second.args[1]}`)
  if (op === '-' && !second && first.type === 'OperatorNode' && first.op === '^')
    note(`-(${first})`, `(-${first.args[0]})^${first.args[1]}`)
}
