import type { BigNumber } from 'mathjs'
import { ToolError } from '../tool.ts'
import { type Meaning, resolveCall, resolveName } from './names.ts'

export type BinaryOperator = '+' | '-' | '*' | '/' | '^' | 'mod' | 'of' | 'to'

/** All that an expression may consist of. */
export type Expression =
  | { readonly kind: 'number'; readonly value: BigNumber }
  | Extract<Meaning, { kind: 'constant' | 'unit' }>
  | { readonly kind: 'group'; readonly inner: Expression }
  | { readonly kind: 'prefix'; readonly operator: '-' | '+'; readonly operand: Expression }
  | { readonly kind: 'postfix'; readonly operator: '!' | '%'; readonly operand: Expression }
  | {
      readonly kind: 'binary'
      readonly operator: BinaryOperator
      /** A product written without a sign, as in `5 km` or `2 pi`: it binds tighter than `*`. */
      readonly implicit: boolean
      /** Whether it is a sum of percentages; kept here because finding out anew at each sum takes quadratic time. */
      readonly percentage: boolean
      readonly left: Expression
      readonly right: Expression
    }
  | {
      readonly kind: 'call'
      readonly function: Extract<Meaning, { kind: 'function' }>
      readonly args: Expression[]
    }

/** mathjs operators by operator and function name. `'` and `.*` carry percent and "of" (see arrange.ts). */
const BINARY: ReadonlyMap<string, BinaryOperator> = new Map([
  ['+ add', '+'],
  ['- subtract', '-'],
  ['* multiply', '*'],
  ['/ divide', '/'],
  ['^ pow', '^'],
  ['mod mod', 'mod'],
  ['.* dotMultiply', 'of'],
  ['to to', 'to'],
])

/** The members of mathjs nodes that are read. */
interface ParsedNode {
  readonly type: string
  readonly value?: unknown
  readonly name?: string
  readonly op?: string
  readonly fn?: unknown
  readonly implicit?: boolean
  readonly args?: readonly ParsedNode[]
  readonly content?: ParsedNode
}

/**
 * The wall: copies a tree that mathjs parsed into one made of allowed parts only. mathjs never evaluates anything,
 * so what is not listed here cannot happen: strings, properties, calls of anything but a listed name, assignments,
 * lists, ranges, comparisons.
 * @throws {ToolError} at the first part that is not allowed
 */
export function readTree(tree: unknown, isNumber: (value: unknown) => value is BigNumber): Expression {
  const node = tree as ParsedNode
  const read = (child: unknown) => readTree(child, isNumber)
  const args = node.args ?? []
  switch (node.type) {
    case 'ConstantNode':
      if (!isNumber(node.value)) break
      return { kind: 'number', value: node.value }
    case 'ParenthesisNode':
      return { kind: 'group', inner: read(node.content) }
    case 'SymbolNode': {
      const meaning = resolveName(node.name ?? '')
      if (meaning === undefined || meaning.kind === 'function') break
      return meaning
    }
    case 'FunctionNode': {
      const called = node.fn as ParsedNode
      const meaning = called.type === 'SymbolNode' ? resolveCall(called.name ?? '') : undefined
      if (meaning?.kind !== 'function') break
      return { kind: 'call', function: meaning, args: args.map(read) }
    }
    case 'OperatorNode': {
      const binary = args.length === 2 ? BINARY.get(`${node.op} ${node.fn}`) : undefined
      if (binary !== undefined) {
        const left = read(args[0])
        const right = read(args[1])
        const percentage = (binary === '+' || binary === '-') && isPercentage(left) && isPercentage(right)
        return { kind: 'binary', operator: binary, implicit: node.implicit === true, percentage, left, right }
      }
      if (args.length !== 1) break
      if (node.fn === 'unaryMinus') return { kind: 'prefix', operator: '-', operand: read(args[0]) }
      if (node.fn === 'unaryPlus') return { kind: 'prefix', operator: '+', operand: read(args[0]) }
      if (node.fn === 'factorial') return { kind: 'postfix', operator: '!', operand: read(args[0]) }
      if (node.fn === 'ctranspose') return { kind: 'postfix', operator: '%', operand: read(args[0]) }
    }
  }
  throw new ToolError(
    'This is not arithmetic the calculator does. It takes numbers, + - * / ^ ! %, parentheses, named functions, ' +
      'constants and units; no variables, lists, comparisons or text.',
  )
}

/** A percentage or a sum of them: `10% + 5%` is 15%, there is nothing before it to be a share of. */
export function isPercentage(expression: Expression): boolean {
  if (expression.kind === 'group') return isPercentage(expression.inner)
  if (expression.kind === 'prefix') return isPercentage(expression.operand)
  if (expression.kind === 'binary') return expression.percentage
  return expression.kind === 'postfix' && expression.operator === '%'
}
