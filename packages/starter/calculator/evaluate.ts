import { ToolError } from '@agent-task-service/engine/tool'
import { type Arithmetic, Fraction, ONE, readNumber } from './arithmetic.ts'
import { call, FUNCTIONS } from './functions.ts'
import { resolveName, unknownName } from './names.ts'
import { type FunctionNode, type Node, type OperatorNode, readable } from './parser.ts'
import { align, bare, combine, convertTo, power, type Quantity } from './quantity.ts'
import { dimensions, readUnits } from './units.ts'

/** `isShare`: a percentage or sum of percentages. */
type Value = Quantity & { readonly isShare?: boolean }

const TAKE_A_LIST = [...FUNCTIONS.values()]
  .filter(({ afterList }) => afterList !== undefined)
  .map(({ name }) => name)
  .join(', ')

const ANGLE = dimensions(readUnits('deg'))

const refused = () =>
  new ToolError('Write numbers, + - * / ^ ! %, parentheses, functions, constants and units; nothing else.')

/** @throws {ToolError} when this is no arithmetic, has no finite and real result, or is too much work */
export function evaluateNode(node: Node, math: Arithmetic): Value {
  switch (node.type) {
    case 'ConstantNode':
      // Numbers as typed; mathjs's own constants, such as true, are no text.
      if (typeof node.value === 'string') return bare(math.settle(readNumber(node.value)))
      throw refused()
    case 'SymbolNode':
      return named(math, node.name)
    case 'ParenthesisNode':
      return evaluateNode(node.content, math)
    case 'FunctionNode':
      return called(math, node.fn.name, evaluateAll(argumentsOf(node.fn.name, node.args), math), node)
    case 'ArrayNode':
      throw new ToolError(
        `Lists and matrices are not supported here: ${TAKE_A_LIST} take one list, as in sum([1, 2, 3]) and quantile([1, 2, 3], 0.25).`,
      )
    case 'OperatorNode': {
      const [left, right] = evaluateAll(node.args, math) as [Value, Value?]
      // The parser writes numbers in quotes.
      if (node.implicit && `${node.args[1]}`.startsWith('"'))
        throw new ToolError(
          readable(`Syntax error: an operator is missing before ${node.args[1]}, as in 5 ft + 3 in.`),
        )
      noteOtherReading(math, node, left, right)
      return right ? binary(math, node.op, left, right) : unary(math, node.op, left)
    }
    default:
      throw refused()
  }
}

/** Those of a function of any number of values may come as a list: mean([1, 2]), quantile([1, 2], 0.25). */
function argumentsOf(name: string, args: readonly Node[]): readonly Node[] {
  const callee = resolveName(name, true)
  const [list, ...rest] = args
  const mayBeList = callee?.kind === 'function' && callee.afterList === rest.length
  return mayBeList && list?.type === 'ArrayNode' ? [...list.items, ...rest] : args
}

const evaluateAll = (nodes: readonly Node[], math: Arithmetic) => nodes.map(node => evaluateNode(node, math))

function named(math: Arithmetic, name: string): Quantity {
  const meaning = resolveName(name) ?? unknownName(name)
  if (meaning.kind === 'function')
    throw new ToolError(`Syntax error: ${name} is a function: write ${meaning.usage}.`)
  if (meaning.kind === 'constant') return bare(meaning.value(math))
  if (meaning.unit.note !== undefined) math.notes.add(meaning.unit.note)
  return { number: ONE, units: [{ unit: meaning.unit, power: 1 }] }
}

/** @param node what is called, unless a sign calls it */
function called(math: Arithmetic, name: string, args: readonly Quantity[], node?: FunctionNode): Quantity {
  const callee = resolveName(name, true) ?? unknownName(name, true)
  if (callee.kind === 'function') return call(math, callee, args)
  const [first] = node?.args ?? []
  const isConverted = callee.kind === 'unit' && dimensions([{ unit: callee.unit, power: 1 }]) === ANGLE
  const from = /^rad/i.test(name) ? 'deg' : 'rad'
  const whole = args[0]?.units.length === 0 ? `(${first}) ${from}` : `(${first})`
  const form = isConverted ? `(${whole} to ${name})` : `(${first ?? '...'}) ${name}`
  throw new ToolError(readable(`Syntax error: ${name} is not a function: write ${form}.`))
}

function unary(math: Arithmetic, sign: string, value: Value): Value {
  if (sign === '+') return value
  if (sign === '-') return { ...value, number: value.number.neg() }
  if (sign === '!') return called(math, 'factorial', [value])
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
      return called(math, 'mod', [left, right])
    case '^':
      return power(math, left, right)
    case 'to':
      if (right.units.length > 0 && math.compare(right.number, ONE) === 0)
        return convertTo(math, left, right.units)
      throw new ToolError('A conversion needs a unit after "to", without a number: "5 km to miles".')
    case '+':
      return sum(math, 'add', left, right)
    case '-':
      return sum(math, 'subtract', left, { ...right, number: right.number.neg() })
    default:
      throw refused()
  }
}

function sum(math: Arithmetic, verb: string, left: Value, right: Value): Value {
  const isOfLeft = !!right.isShare && !left.isShare
  if (isOfLeft)
    math.notes.add('A percentage after + or - was taken of the value before it: 240 + 15% is 240 * 1.15.')
  const other = align(math, verb, left, isOfLeft ? combine(math, left, right, 1) : right)
  return { ...left, number: math.add(left.number, other.number), isShare: !!left.isShare && !!right.isShare }
}

const isQuotient = (node: Node): node is OperatorNode => node.type === 'OperatorNode' && node.op === '/'
const isPower = (node?: Node): node is OperatorNode => node?.type === 'OperatorNode' && node.op === '^'
const isProduct = (node?: Node): node is OperatorNode => node?.type === 'OperatorNode' && node.implicit

/** Says how `2 / 3 km`, `6/2(1+2)`, `-2^2`, `2^3^2` and `9 km / 3 km/h` were read, which people read in two ways. */
function noteOtherReading(math: Arithmetic, node: OperatorNode, left: Value, right?: Value): void {
  const { op, args, implicit } = node
  const [first, second] = args as [Node, Node?]
  const hasUnits = left.units.length > 0 && right && right.units.length > 0
  const note = (chosen: string, other: string) =>
    math.notes.add(readable(`Read as ${chosen}; the other reading is ${other}.`))
  if (implicit && isQuotient(first))
    note(`(${first}) ${second}`, `${first.args[0]} / (${first.args[1]} ${second})`)
  if (op === '/' && isProduct(second) && !hasUnits)
    note(`${first} / (${second})`, `${first} / ${second.args[0]} * ${second.args[1]}`)
  if (op === '/' && second?.type === 'SymbolNode' && isQuotient(first) && isProduct(first.args[1]))
    note(`(${first}) / ${second}`, `${first.args[0]} / (${first.args[1]} / ${second})`)
  if (op === '^' && isPower(second))
    note(`${first}^(${second})`, `(${first}^${second.args[0]})^${second.args[1]}`)
  if (op === '-' && !second && isPower(first)) note(`-(${first})`, `(-${first.args[0]})^${first.args[1]}`)
}
