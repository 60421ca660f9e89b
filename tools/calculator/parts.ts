import { ToolError } from '../tool.ts'
import { type Meaning, resolveCall, resolveName, suggest } from './names.ts'
import { syntaxError, type Token } from './tokens.ts'

/** A token with its meaning decided, and how it is written for mathjs's parser. */
export interface Part {
  readonly kind:
    | 'number'
    | 'value'
    | 'function'
    | 'open'
    | 'close'
    | 'comma'
    | 'operator'
    | 'postfix'
    | 'root'
  readonly text: string
  /** Where it starts in what was typed, from 0. */
  readonly start: number
  /** What a name stands for. */
  readonly meaning?: Meaning
}

const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['plus', '+'],
  ['minus', '-'],
  ['times', '*'],
  ['per', '/'],
  ['over', '/'],
  ['of', '.*'],
  ['mod', 'mod'],
  ['to', 'to'],
  ['in', 'to'],
  ['into', 'to'],
  ['as', 'to'],
  ['x', '*'],
])
const PERCENT = new Set(['percent', 'pct'])
const LOGIC = 'Logic is not supported: give one arithmetic expression.'
const CURRENCY = 'There are no exchange rates here: give bare numbers.'
const HINTS: ReadonlyMap<string, string> = new Map([
  ['off', 'Write a discount as a subtraction: 150 - 20%.'],
  ...['x', 'y', 'n'].map((word): [string, string] => [
    word,
    'Variables are not supported: put the number in.',
  ]),
  ['i', 'Complex numbers are not supported.'],
  ['infinity', 'Infinity is not a number to calculate with.'],
  ['nan', 'NaN is not a number to calculate with.'],
  ...['and', 'or', 'not', 'xor', 'true', 'false'].map((word): [string, string] => [word, LOGIC]),
  ...['usd', 'eur', 'gbp', 'jpy', 'dollars', 'euros'].map((word): [string, string] => [word, CURRENCY]),
])

/**
 * Decides what the ambiguous signs and words mean. Percent becomes the postfix `'` and "of" the operator `.*`:
 * neither can be typed, and mathjs's own `%` would read `100 - 10% + 5` as a remainder and takes exponential time
 * on nested ones.
 * @throws {ToolError} for unknown names, naming near ones
 */
export function decide(tokens: readonly Token[], note: (line: string) => void): Part[] {
  const parts: Part[] = []
  tokens.forEach((token, index) => {
    const next = tokens[index + 1]
    const ended = endsValue(parts.at(-1))
    const { text, start } = token
    if (token.kind === 'number') parts.push({ kind: 'number', text: checkedNumber(token), start })
    else if (text === '(') parts.push({ kind: 'open', text, start })
    else if (text === ')') parts.push({ kind: 'close', text, start })
    else if (text === ',') parts.push({ kind: 'comma', text, start })
    else if (text === '√' || text === '∛')
      parts.push({ kind: 'root', text: text === '√' ? 'sqrt' : 'cbrt', start })
    else if (text === '!') parts.push({ kind: 'postfix', text, start })
    else if (text === '%' || PERCENT.has(text.toLowerCase()))
      parts.push(percent(token, next, parts.at(-1), note))
    else if (token.kind === 'symbol') parts.push({ kind: 'operator', text, start })
    else {
      const operator = operatorWord(token, next, parts.at(-1))
      if (operator !== undefined && (ended || text !== 'mod'))
        parts.push({ kind: 'operator', text: operator, start })
      else parts.push(named(token, next))
    }
  })
  return parts
}

/** Whether a value can end with this part, so that an operator must follow. */
export function endsValue(part: Part | undefined): boolean {
  return part !== undefined && ['number', 'value', 'close', 'postfix'].includes(part.kind)
}

function percent(
  token: Token,
  next: Token | undefined,
  before: Part | undefined,
  note: (line: string) => void,
): Part {
  const { start } = token
  if (before?.kind === 'operator' && before.text === 'to')
    return named({ ...token, text: 'percent' }, undefined)
  if (!endsValue(before)) throw syntaxError(start, 'a percent sign needs a number before it, as in 15%.')
  if (token.kind === 'name' || !startsValue(next)) return { kind: 'postfix', text: "'", start }
  note('% between two values was taken as the remainder (mod); write "10% of 3" for a percentage.')
  return { kind: 'operator', text: 'mod', start }
}

function startsValue(token: Token | undefined): boolean {
  if (token === undefined) return false
  if (token.kind === 'name') return !OPERATORS.has(token.text.toLowerCase())
  return token.kind === 'number' || '(√∛'.includes(token.text)
}

/** The operator a word stands for, if it does here: `in` may be the inch, `mod` and `x` need a value before them. */
function operatorWord(token: Token, next: Token | undefined, before: Part | undefined): string | undefined {
  const word = token.text.toLowerCase()
  const operator = OPERATORS.get(word)
  if (operator === undefined || ((word === 'x' || word === 'in') && !endsValue(before))) return undefined
  if (word === 'in' && before?.kind === 'number' && !startsValue(next)) return undefined
  return operator
}

function named(token: Token, next: Token | undefined): Part {
  const { text: typed, start } = token
  const called = next?.text === '('
  const meaning = called ? resolveCall(typed) : resolveName(typed)
  if (meaning === undefined) {
    const shown = typed.length > 40 ? `${typed.slice(0, 40)}...` : typed
    const hint = HINTS.get(typed.toLowerCase()) ?? suggest(typed)
    throw new ToolError(`Unknown name "${shown}" at position ${start + 1}. ${hint}`)
  }
  const { name } = meaning
  if (meaning.kind === 'function') {
    if (!called) throw syntaxError(start, `${name} is a function: write ${meaning.callee.usage}.`)
    return { kind: 'function', text: name, start, meaning }
  }
  if (called) throw syntaxError(start, `${name} is not a function: write ${name} * (...) for a product.`)
  return { kind: 'value', text: name, start, meaning }
}

/** Longer exponents could not be told from zero or infinity once parsed. */
function checkedNumber(token: Token): string {
  const exponent = /e[+-]?(\d+)$/i.exec(token.text)?.[1] ?? ''
  if (exponent.replace(/^0+/, '').length > 5)
    throw new ToolError(
      `The number at position ${token.start + 1} is out of range: exponents go up to 5,000.`,
    )
  return token.text
}
