// biome-ignore format: the comment below covers one line
// @ts-expect-error: mathjs exports them, but its types omit them
import { createArrayNode, createConstantNode, createFunctionNode, createNode, createOperatorNode, createParenthesisNode, createParse, createSymbolNode } from 'mathjs'

/** A part of an expression. Its text is in the parser's syntax. */
export type Node = { toString(): string } & (
  | { readonly type: 'ConstantNode'; readonly value: unknown }
  | { readonly type: 'SymbolNode'; readonly name: string }
  | { readonly type: 'ParenthesisNode'; readonly content: Node }
  | { readonly type: 'ArrayNode'; readonly items: readonly Node[] }
  | FunctionNode
  | OperatorNode
)

export interface FunctionNode {
  readonly type: 'FunctionNode'
  readonly fn: { readonly name: string }
  readonly args: readonly Node[]
}

export interface OperatorNode {
  readonly type: 'OperatorNode'
  readonly op: string
  readonly args: readonly Node[]
  /** A product without a sign. */
  readonly implicit: boolean
}

const Base = createNode({ mathWithTransform: {} })
const SymbolNode = createSymbolNode({ math: {}, Node: Base })

function Refused() {
  throw new SyntaxError('This is not arithmetic.')
}

const REFUSED =
  'Accessor Assignment Block Conditional FunctionAssignment Index Object Range Relational'.split(' ')

/**
 * The security boundary, with evaluate.ts: mathjs's parser builds the nodes of `Node` and cannot build anything else: no
 * properties, assignments, ranges or objects. Nothing ever calls what mathjs would evaluate them with.
 * @throws {SyntaxError}
 */
export const parse: (text: string) => Node = createParse({
  config: { number: 'BigNumber' },
  typed: Object.assign((_: string, { string }: { string: unknown }) => string, { addConversion() {} }),
  numeric: (text: string) => text,
  ...Object.fromEntries(REFUSED.map(name => [`${name}Node`, Refused])),
  ConstantNode: createConstantNode({ Node: Base, isBounded: () => true }),
  SymbolNode,
  ArrayNode: createArrayNode({ Node: Base }),
  ParenthesisNode: createParenthesisNode({ Node: Base }),
  FunctionNode: createFunctionNode({ math: {}, Node: Base, SymbolNode }),
  OperatorNode: createOperatorNode({ Node: Base }),
})

/** Text in the parser's syntax, as people write it: notation.ts writes `'` for a percent sign and `.*` for "of". */
export function readable(text: string): string {
  return text
    .replaceAll('"', '')
    .replace(/ *'/g, '%')
    .replaceAll('.*', 'of')
    .replace(/ +/g, ' ')
    .replaceAll(' ^ ', '^')
    .replace(/(?<=[a-z]) \/ (?=[a-z]+\b)(?!pi\b)/gi, '/')
    .replaceAll('_', ' ')
}
