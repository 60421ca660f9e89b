import { ToolError } from '../tool.ts'
import { type Arithmetic, BigNumber } from './arithmetic.ts'
import { factorial, remainder } from './functions.ts'
import { resolveCall, resolveName } from './names.ts'
import { readUnits, unitText } from './products.ts'
import { align, bare, combine, convertTo, plain, power, type Quantity } from './quantity.ts'

/** A part of the expression as parsed. */
export interface Node {
  /** @throws {ToolError} when this is no arithmetic, has no finite and real result, or is too much work */
  evaluate(math: Arithmetic): Term
}

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

/** Operators between two values, with their precedence; notation.ts writes "of" as `.*`. */
const LEVELS = new Map(Object.entries({ to: 1, '+': 2, '-': 2, '*': 3, '/': 3, mod: 3, '.*': 3, '^': 5 }))

const PERCENT = readUnits('percent')
const [IMPLICIT, PREFIX, POSTFIX, SINGLE] = [4, 5, 7, 8]

const refused = () =>
  new ToolError('Write numbers, + - * / ^ ! %, parentheses, functions, constants and units; nothing else.')

const wrap = ({ text, level }: Term, least: number) => (level < least ? `(${text})` : text)

export function constant(math: Arithmetic, value: unknown): Term {
  if (!(value instanceof BigNumber)) throw refused()
  if (!(Math.abs(value.e) < 1e5)) throw new ToolError(`${value} is out of range: exponents go up to 5,000.`)
  const text = value.e > 20 || value.e < -7 ? String(value) : value.toFixed()
  return { value: bare(math.settle(value)), text, level: SINGLE }
}

export function named(math: Arithmetic, name: string): Term {
  const meaning = resolveName(name)
  if (meaning?.kind === 'constant') return { value: bare(meaning.value), text: name, level: SINGLE }
  if (meaning?.kind !== 'unit') throw refused()
  if (meaning.unit.note !== undefined) math.notes.add(meaning.unit.note)
  const units = [{ unit: meaning.unit, power: 1 }]
  return { value: { number: new BigNumber(1), units }, text: unitText(units), level: SINGLE, kind: 'unit' }
}

export function parenthesised(math: Arithmetic, content: Node): Term {
  const inner = content.evaluate(math)
  return { ...inner, text: `(${inner.text})`, level: SINGLE }
}

export function call(math: Arithmetic, called: { readonly name: string }, given: readonly Node[]): Term {
  const callee = resolveCall(called.name)
  if (callee?.kind !== 'function') throw refused()
  const { name, usage, minimum, maximum } = callee
  const { length } = given
  const error = `${name} was given ${length} argument${length === 1 ? '' : 's'}: write ${usage}.`
  if (length < minimum) throw new ToolError(error)
  if (length > maximum)
    throw new ToolError(`${error} Inside its parentheses commas separate arguments: write 1234, not 1,234.`)
  const args = given.map(arg => arg.evaluate(math))
  const text = `${name}(${args.map(arg => arg.text).join(', ')})`
  const values = args.map(({ value }) => value)
  const isOfShares = args[0]?.kind === 'share' && values.every(({ units }) => units.length === 0)
  if (!isOfShares) return { value: callee.apply(math, values, name), text, level: SINGLE }
  // 100 - max(10%, 5%) is 90, and round(45.7%) is 46%.
  const percents = args.map(({ kind, value }) => (kind === 'share' ? convertTo(math, value, PERCENT) : value))
  const result = callee.apply(math, percents, name)
  const kind = unitText(result.units) === 'percent' ? 'share' : undefined
  return { value: bare(plain(math, result, name)), text, level: SINGLE, kind }
}

export function operation(math: Arithmetic, sign: string, _: string, args: Node[], implicit = false) {
  const [left, right] = args.map(arg => arg.evaluate(math))
  return right ? binary(math, sign, left!, right, implicit) : unary(math, sign, left!)
}

function unary(math: Arithmetic, sign: string, operand: Term): Term {
  const [prefix, inner] = [wrap(operand, PREFIX), wrap(operand, POSTFIX)]
  const { number, units } = operand.value
  const signed = { level: PREFIX, kind: operand.kind === 'share' ? ('share' as const) : undefined }
  if (sign === '+') return { value: operand.value, text: `+${prefix}`, ...signed }
  if (sign === '-') return { value: { number: math.negate(number), units }, text: `-${prefix}`, ...signed }
  if (sign === '!')
    return { value: factorial(math, [operand.value], 'A factorial'), text: `${inner}!`, level: POSTFIX }
  if (sign !== "'") throw refused()
  const value = combine(math, operand.value, bare(new BigNumber(100)), -1)
  return { value, text: `${inner}%`, level: POSTFIX, kind: 'share' }
}

function binary(math: Arithmetic, sign: string, left: Term, right: Term, implicit: boolean): Term {
  const usual = LEVELS.get(sign)
  if (usual === undefined) throw refused()
  const level = implicit ? IMPLICIT : usual
  const value = calculate(math, sign, left, right)
  const byUnit = '*/'.includes(sign) && right.kind === 'unit'
  const isClose = sign === '^' || (byUnit && (left.kind === 'unit' || left.kind === 'measure'))
  const between = byUnit && implicit ? ' ' : isClose ? sign : ` ${sign === '.*' ? 'of' : sign} `
  const [before, after] = sign === '^' ? [POSTFIX, PREFIX] : [level, level + 1]
  const text = wrap(left, before) + between + wrap(right, after)
  if (left.kind === 'unit' && (byUnit || sign === '^')) return { value, text, level, kind: 'unit' }
  const isShare = '+-'.includes(sign) && left.kind === 'share' && right.kind === 'share'
  return { value, text, level, kind: byUnit ? 'measure' : isShare ? 'share' : undefined }
}

function calculate(math: Arithmetic, sign: string, { value: left, kind }: Term, right: Term): Quantity {
  if (sign === '/') return combine(math, left, right.value, -1)
  if (sign === 'mod') return remainder(math, [left, right.value], 'the remainder')
  if (sign === '^') return power(math, left, right.value)
  if (sign === 'to' && right.kind === 'unit') return convertTo(math, left, right.value.units)
  if (sign === 'to')
    throw new ToolError('A conversion needs a unit after "to", without a number: "5 km to miles".')
  if (sign !== '+' && sign !== '-') return combine(math, left, right.value, 1)
  const isShare = right.kind === 'share' && kind !== 'share'
  if (isShare)
    math.notes.add('A percentage after + or - was taken of the value before it: 240 + 15% is 240 * 1.15.')
  const verb = sign === '+' ? 'add' : 'subtract'
  const [a, b] = align(math, verb, left, isShare ? combine(math, left, right.value, 1) : right.value)
  return { ...a, number: math[verb](a.number, b.number) }
}
