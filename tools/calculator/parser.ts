import { createBigNumberClass, createParse, type BigNumber as Decimal } from 'mathjs'

declare module 'mathjs' {
  // mathjs exports these, but its types omit them.
  const createBigNumberClass: FactoryFunction<BigNumberClass>
  const createParse: FactoryFunction<(text: string) => Tree>
}

export type BigNumber = Decimal
interface BigNumberClass {
  new (value: BigNumber | number | string): BigNumber
  clone(options: { precision: number }): BigNumberClass
  acos(value: number): BigNumber
  atan2(y: BigNumber, x: BigNumber): BigNumber
}

/** Every node an expression may contain. `implicit`: a product without a sign, as in `5 km`; it binds tighter. */
export type Tree =
  | { readonly kind: 'ConstantNode'; readonly value: unknown }
  | { readonly kind: 'SymbolNode'; readonly name: string }
  | { readonly kind: 'ParenthesisNode'; readonly content: Tree }
  | { readonly kind: 'FunctionNode'; readonly fn: Tree; readonly args: readonly Tree[] }
  | {
      readonly kind: 'OperatorNode'
      readonly fn: string
      readonly args: readonly Tree[]
      readonly implicit?: boolean
    }

/** A node class for the parser; `members` names its constructor arguments. */
function node(kind: Tree['kind'], ...members: string[]) {
  return class {
    constructor(...values: unknown[]) {
      Object.assign(this, { kind, [`is${kind}`]: true })
      Object.assign(this, Object.fromEntries(members.map((member, index) => [member, values[index]])))
    }
    get isNode() {
      return true
    }
  }
}

class Refused {
  constructor() {
    throw new SyntaxError('This is not arithmetic.')
  }
}

const REFUSED =
  'Accessor Array Assignment Block Conditional FunctionAssignment Index Object Range Relational'.split(' ')

/** mathjs's decimals, at 200 digits. */
export const BigNumber = createBigNumberClass({ config: { precision: 200 } })

/**
 * The security boundary: mathjs's parser builds inert nodes that mathjs cannot evaluate. It cannot build anything else:
 * no properties, assignments, lists, ranges or objects.
 * @throws {SyntaxError}
 */
export const parse = createParse({
  config: { number: 'BigNumber' },
  typed: Object.assign((_: string, { string }: { string: unknown }) => string, { addConversion() {} }),
  numeric: (text: string) => new BigNumber(text),
  ...Object.fromEntries(REFUSED.map(name => [`${name}Node`, Refused])),
  ConstantNode: node('ConstantNode', 'value'),
  SymbolNode: node('SymbolNode', 'name'),
  ParenthesisNode: node('ParenthesisNode', 'content'),
  FunctionNode: node('FunctionNode', 'fn', 'args'),
  OperatorNode: node('OperatorNode', 'op', 'fn', 'args', 'implicit'),
})
