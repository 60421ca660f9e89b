// @ts-expect-error: mathjs exports it, but its types omit it
import { createParse } from 'mathjs'
import { type Arithmetic, BigNumber } from './arithmetic.ts'
import { call, constant, type Node, named, operation, parenthesised, type Term } from './evaluate.ts'

/** A node class for mathjs's parser; `members` names the arguments of its constructor, which `evaluate` takes too. */
function node<Values extends unknown[]>(
  kind: string,
  members: string[],
  evaluate: (math: Arithmetic, ...values: Values) => Term,
) {
  return class implements Node {
    readonly evaluate: Node['evaluate']

    constructor(...values: Values) {
      Object.assign(this, { [`is${kind}`]: true })
      Object.assign(this, Object.fromEntries(members.map((member, index) => [member, values[index]])))
      this.evaluate = math => evaluate(math, ...values)
    }

    get isNode() {
      return true
    }
  }
}

function Refused() {
  throw new SyntaxError('This is not arithmetic.')
}

const REFUSED =
  'Accessor Array Assignment Block Conditional FunctionAssignment Index Object Range Relational'.split(' ')

/**
 * The security boundary: mathjs's parser builds nodes that only the functions of evaluate.ts can evaluate. It cannot build
 * anything else: no properties, assignments, lists, ranges or objects.
 * @throws {SyntaxError}
 */
export const parse: (text: string) => Node = createParse({
  config: { number: 'BigNumber' },
  typed: Object.assign((_: string, { string }: { string: unknown }) => string, { addConversion() {} }),
  numeric: (text: string) => new BigNumber(text),
  ...Object.fromEntries(REFUSED.map(name => [`${name}Node`, Refused])),
  ConstantNode: node('ConstantNode', ['value'], constant),
  SymbolNode: node('SymbolNode', ['name'], named),
  ParenthesisNode: node('ParenthesisNode', ['content'], parenthesised),
  FunctionNode: node('FunctionNode', ['fn', 'args'], call),
  OperatorNode: node('OperatorNode', ['op', 'fn', 'args', 'implicit'], operation),
})
