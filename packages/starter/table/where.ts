import { ToolError } from '@agent-task-service/engine/tool'
import { type Numbers, numbersIn, type Quantity } from './numbers.ts'
import { placeOf, plain, shown, type Table } from './table.ts'

/** The longer ones first. */
const OPERATORS = ['<=', '>=', '!=', '<>', '==', '≤', '≥', '≠', '=', '<', '>'] as const
const SAME: Readonly<Record<string, string>> = { '<>': '!=', '≠': '!=', '==': '=', '≤': '<=', '≥': '>=' }
const QUOTES = '"\'`“”‘’'
const DATE = /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?)?)?$/
const BEGINS_AS_DATE = /^\d{4}-\d{2}-\d{2}/
const ZONE = /[+-]\d{2}:\d{2}$/
/** Length of a value that is a day. */
const DAY = 10

export interface Comparison {
  readonly column: string
  readonly operator: string
  readonly value: string
}

/** The rows that fit a comparison, by index; and those whose cell cannot be compared. */
export interface Fitting {
  readonly rows: readonly number[]
  readonly uncompared: readonly number[]
  /** What was assumed, or what is odd. */
  readonly notes: readonly string[]
}

/**
 * Reads a comparison: `amount >= 100`, `"region" = 'North'`.
 *
 * @throws {ToolError} for anything else
 */
export function comparisonIn(where: string): Comparison {
  const at = where.search(/[<>=!≤≥≠]/)
  const operator = OPERATORS.find(one => at > 0 && where.startsWith(one, at))
  if (!operator) throw notOne(where)
  const column = unquoted(where.slice(0, at).trim())
  const rest = where.slice(at + operator.length).trim()
  const value = unquoted(rest)
  const isTwo = value === rest && /[<>=≤≥≠]/.test(rest)
  if (column === '' || isTwo) throw notOne(where)
  return { column, operator: SAME[operator] ?? operator, value }
}

/** Whether a value is a day, a month or a time of a day. */
export function isDate(value: string): boolean {
  return DATE.test(value)
}

export function comparisonText({ column, operator, value }: Comparison): string {
  return `${shown(column)} ${operator} ${shown(value)}`
}

/** @throws {ToolError} if the column's cells and the value cannot be compared so, or if no row fits */
export function fitting(table: Table, comparison: Comparison): Fitting {
  const place = placeOf(table, comparison.column)
  const name = table.names[place]!
  const cells = table.rows.map(row => row[place] ?? '')
  const { compare, note } = comparing(name, cells, comparison)
  const rows: number[] = []
  const uncompared: number[] = []
  for (const [at, cell] of cells.entries()) {
    const order = compare(at, cell)
    if (order === undefined) uncompared.push(at)
    else if (fits(order, comparison.operator)) rows.push(at)
  }
  if (rows.length === 0) throw noneFits(comparison, name, cells)
  const notes = note === undefined ? [] : [`of ${name}, ${note}`]
  if (comparison.operator === '!=' && rows.length + uncompared.length === cells.length)
    notes.push(`no cell is ${shown(comparison.value)}; ${name} holds ${valuesIn(cells)}.`)
  return { rows, uncompared, notes }
}

interface Comparing {
  /** How a cell stands to the value: below, equal or above it; `undefined`: it cannot be compared. */
  readonly compare: (at: number, cell: string) => number | undefined
  readonly note?: string | undefined
}

function comparing(name: string, cells: readonly string[], comparison: Comparison): Comparing {
  const { operator, value } = comparison
  const isEquality = ['=', '!='].includes(operator)
  if (isDate(value)) return { compare: (_, cell) => dateOrder(cell.trim(), value) }
  const wanted = plain(value)
  if (BEGINS_AS_DATE.test(value) && !cells.some(cell => plain(cell) === wanted))
    throw notOne(comparisonText(comparison))
  const equality = (_: number, cell: string) => (plain(cell) === wanted ? 0 : 1)
  if (isEquality && !/\d/.test(value)) return { compare: equality }
  const numbers = numbersIn(name, cells)
  const number = numbers.read(value)
  if (!number && isEquality) return { compare: equality }
  if (!number) throw notOne(comparisonText(comparison))
  if (!isEquality) expectOneUnit(name, numbers, number)
  const isOther = (own: Quantity) => unitOf(number) !== '' && unitOf(own) !== unitOf(number)
  const compare = (at: number, cell: string) => {
    const own = numbers.values[at]
    if (!own) return isEquality ? equality(at, cell) : undefined
    return isEquality && isOther(own) ? 1 : own.value.cmp(number.value)
  }
  return { compare, note: numbers.note }
}

/** As exact as the value: 2024-03-15 is not after 2024-03, but 2024-03 is neither before nor after 2024-03-15. */
function dateOrder(cell: string, value: string): number | undefined {
  const local = value.length <= DAY ? cell.replace(ZONE, '') : cell
  if (!DATE.test(local)) return undefined
  const [own, wanted] = [stamp(local), stamp(value)]
  const length = Math.min(own.length, wanted.length)
  const [one, other] = [own.slice(0, length), wanted.slice(0, length)]
  if (one !== other) return one < other ? -1 : 1
  // A day begins at 00:00:00.
  return /^[ :.0]*$/.test(wanted.slice(length)) ? 0 : undefined
}

function stamp(date: string): string {
  return date.replace('T', ' ').replace('Z', '')
}

function fits(order: number, operator: string): boolean {
  if (operator === '=') return order === 0
  if (operator === '!=') return order !== 0
  if (order === 0) return operator.endsWith('=')
  return operator.startsWith('<') === order < 0
}

function unitOf({ before, after }: Quantity): string {
  return `${before.trim()} ${after.trim()}`.trim()
}

/** A value without a unit takes that of the column. */
function expectOneUnit(name: string, { values }: Numbers, number: Quantity): void {
  const units = new Set(values.flatMap(value => (value ? [unitOf(value)] : [])))
  if (unitOf(number) !== '') units.add(unitOf(number))
  if (units.size < 2) return
  const listed = [...units].slice(0, 5).map(unit => (unit === '' ? 'none' : `"${shown(unit, 20)}"`))
  throw new ToolError(
    `The comparison with ${name} meets more than one unit (${listed.join(', ')}), so sizes cannot be compared. Say so, or compare another column.`,
  )
}

function noneFits(comparison: Comparison, name: string, cells: readonly string[]): ToolError {
  return new ToolError(`No row fits ${comparisonText(comparison)}; ${name} holds ${valuesIn(cells)}.`)
}

/** Some of the different values, for who wrote one that is not among them. */
export function valuesIn(cells: readonly string[]): string {
  const values = [...new Set(cells.map(cell => shown(cell, 40) || '(empty)'))]
  const more = values.length > 20 ? ` and ${values.length - 20} more values` : ''
  return `${values.slice(0, 20).join(', ')}${more}`
}

function notOne(where: string): ToolError {
  return new ToolError(
    `where: expected one comparison of a column with a number, a date or a text, got "${shown(where)}". Write it as "amount >= 100", "day < 2024-03-01" or "region = North".`,
  )
}

function unquoted(text: string): string {
  const isQuoted = text.length > 1 && QUOTES.includes(text[0]!) && QUOTES.includes(text.at(-1)!)
  const inner = text.slice(1, -1)
  // 'North' and 'South' is not one text.
  return isQuoted && !inner.includes(text[0]!) && !inner.includes(text.at(-1)!) ? inner.trim() : text
}
