import { ToolError } from '@agent-task-service/engine/tool'
import type { Quantity } from './numbers.ts'
import { type Column, placeOf, plain, rowsText, shown, type Table } from './table.ts'

/** The longer ones first. */
const OPERATORS = ['<=', '>=', '!=', '<>', '==', '≤', '≥', '≠', '=', '<', '>'] as const
const SAME: Readonly<Record<string, string>> = { '<>': '!=', '≠': '!=', '==': '=', '≤': '<=', '≥': '>=' }
const QUOTES = '"\'`“”‘’'
const DATE = /^\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z?)?)?$/
const BEGINS_AS_DATE = /^\d{4}-\d{2}-\d{2}/
const ZONE = /[+-]\d{2}:\d{2}$/
/** Length of a value that is a day. */
const DAY = 10
const MOST_NEAR = 3

export interface Comparison {
  readonly column: string
  readonly operator: string
  readonly value: string
}

/** The rows that fit all comparisons, by index. */
export interface Fitting {
  readonly rows: readonly number[]
  /** Those whose cell cannot be compared, and why. */
  readonly uncompared: readonly { readonly rows: readonly number[]; readonly why: string }[]
  /** What was assumed, or what is odd. */
  readonly notes: readonly string[]
}

/**
 * Reads comparisons joined by `and`: `amount >= 100 and "region" = 'North'`.
 *
 * @throws {ToolError} for anything else
 */
export function comparisonsIn(where: string): Comparison[] {
  const parts: string[] = []
  for (const part of where.split(/ (?:and|AND|&&) /)) {
    const last = parts.at(-1)
    // A name or a value may have an "and" as well: Tom and Jerry.
    const goesOn = last !== undefined && !(operatorIn(last) && operatorIn(part))
    if (goesOn) parts[parts.length - 1] = `${last} and ${part}`
    else parts.push(part)
  }
  return parts.map(part => comparisonIn(part, where))
}

function operatorIn(part: string) {
  const at = part.search(/[<>=!≤≥≠]/)
  const operator = OPERATORS.find(one => at > 0 && part.startsWith(one, at))
  return operator && { operator, at }
}

function comparisonIn(part: string, where: string): Comparison {
  const found = operatorIn(part)
  if (!found) throw notRead(where)
  const { operator, at } = found
  const column = unquoted(part.slice(0, at).trim())
  const rest = part.slice(at + operator.length).trim()
  const value = unquoted(rest)
  const isTwo = value === rest && /[<>=≤≥≠]/.test(rest)
  if (column === '' || isTwo) throw notRead(where)
  return { column, operator: SAME[operator] ?? operator, value }
}

export function comparisonText(comparisons: readonly Comparison[]): string {
  return comparisons
    .map(({ column, operator, value }) => `${shown(column)} ${operator} ${shown(value)}`)
    .join(' and ')
}

/** Whether it chooses rows by their number: `row != 4`; and `row != total`, those that may be totals. */
export function isOfRows({ names }: Table, { column }: Comparison): boolean {
  return plain(column) === 'row' && !names.some(name => plain(name) === 'row')
}

/**
 * The rows of data that fit. A total that is no data fits if only `=` is asked, and no row of data fits.
 *
 * @throws {ToolError} if the column's cells and the value cannot be compared so, or if no row fits
 */
export function fitting(table: Table, comparisons: readonly Comparison[]): Fitting {
  const tests = comparisons.map(one => testOf(table, one))
  const fit = (rows: readonly number[]) =>
    rows.filter(row => tests.every(({ order, operator }) => fits(order(row), operator)))
  const isNamed = comparisons.every(({ operator }) => operator === '=')
  const data = fit(table.data)
  const rows = data.length > 0 || !isNamed ? data : fit(table.leftOut.flatMap(({ rows }) => rows))
  if (rows.length === 0) throw noneFits(table, comparisons, tests)
  return {
    rows,
    uncompared: tests.map(({ name, isOfDates, order }) => ({
      why: `cells of ${name} that are no ${isOfDates ? 'dates as exact as the value' : 'numbers or dates'}`,
      rows: table.data.filter(row => order(row) === undefined),
    })),
    notes: tests.flatMap(({ notes }) => notes()),
  }
}

/** One comparison over the rows of a table. */
interface Test {
  readonly operator: string
  readonly name: string
  readonly cells: readonly string[]
  readonly isOfDates?: boolean
  /** How a row's cell stands to the value: below, equal or above it; `undefined`: it cannot be compared. */
  readonly order: (row: number) => number | undefined
  readonly notes: () => readonly string[]
}

function testOf(table: Table, comparison: Comparison): Test {
  const { operator, value } = comparison
  if (isOfRows(table, comparison)) return rowTest(table, comparison)
  const place = placeOf(table, comparison.column)
  const name = table.names[place]!
  const cells = table.rows.map(row => row[place] ?? '')
  const test = { operator, name, cells, notes: () => [] }
  if (DATE.test(value))
    return { ...test, isOfDates: true, order: row => dateOrder(cells[row]!.trim(), value) }
  const column = table.column(place)
  const number = /\d/.test(value) ? column.read(value) : undefined
  if (number && column.fault !== undefined) throw new ToolError(column.fault)
  const isEquality = ['=', '!='].includes(operator)
  const wanted = plain(value)
  const isWritten = (row: number) => plain(cells[row]!) === wanted
  const isAnyWritten = cells.some((_, row) => isWritten(row))
  if (!isEquality && !number) throw notSized(name, value, column)
  if (isEquality && !isAnyWritten && BEGINS_AS_DATE.test(value)) throw notSized(name, value, column)
  const columnNotes = () => (column.note === undefined ? [] : [`of ${name}, ${column.note}`])
  if (!isEquality) {
    expectOneUnit(name, column, number!)
    return { ...test, notes: columnNotes, order: row => column.values[row]?.value.cmp(number!.value) }
  }
  const isNumber = (row: number) => isSame(column.values[row], number)
  const isEqual = isAnyWritten ? isWritten : isNumber
  const isNear = (row: number) =>
    isNumber(row) ||
    cells[row]!.trim() === '' ||
    (!column.values[row] && wordsOf(cells[row]!).includes(wordsOf(value)))
  const notes = () => [
    ...(isAnyWritten ? [] : columnNotes()),
    ...nearNote(
      cells,
      value,
      table.data.filter(row => !isEqual(row) && isNear(row)),
    ),
    ...(operator !== '!=' || cells.some((_, row) => isEqual(row))
      ? []
      : [`no cell is ${shown(value)}; ${name} holds ${valuesIn(cells)}.`]),
  ]
  return { ...test, notes, order: row => (isEqual(row) ? 0 : 1) }
}

/** By the number of a row; all that may be totals are "total". */
function rowTest({ rows, doubtful }: Table, { operator, value }: Comparison): Test {
  const number = Number(value)
  const isTotal = plain(value) === 'total' && ['=', '!='].includes(operator)
  if (!isTotal && !Number.isInteger(number)) throw notSized('row', value)
  const order = (row: number) => (isTotal ? Number(!doubtful.has(row)) : row + 1 - number)
  return { operator, name: 'row', cells: rows.map((_, row) => `${row + 1}`), notes: () => [], order }
}

function isSame(own: Quantity | undefined, number: Quantity | undefined): boolean {
  if (!own || !number) return false
  return own.value.eq(number.value) && ['', own.unit].includes(number.unit)
}

/** The words of a text, each between spaces. */
function wordsOf(text: string): string {
  return ` ${plain(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `
}

function nearNote(cells: readonly string[], value: string, rows: readonly number[]): string[] {
  if (rows.length === 0) return []
  const distinct = Map.groupBy(rows, row => shown(cells[row]!, 40) || 'an empty cell')
  const some = [...distinct].slice(0, MOST_NEAR).map(([cell, of]) => `${cell} (${rowsText(of)})`)
  const more = distinct.size - some.length
  return [`not taken for ${shown(value)}: ${some.join(', ')}${more > 0 ? `, and ${more} others` : ''}.`]
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

function fits(order: number | undefined, operator: string): boolean {
  if (order === undefined) return false
  if (operator === '=') return order === 0
  if (operator === '!=') return order !== 0
  if (order === 0) return operator.endsWith('=')
  return operator.startsWith('<') === order < 0
}

/** A value without a unit takes that of the column. */
function expectOneUnit(name: string, { values }: Column, number: Quantity): void {
  const own = values.flatMap(value => (value ? [value.unit] : []))
  const units = new Set(number.unit === '' ? own : [...own, number.unit])
  if (units.size < 2) return
  const listed = [...units].slice(0, 5).map(unit => (unit === '' ? 'none' : `"${shown(unit, 20)}"`))
  throw new ToolError(
    `The comparison with ${name} meets more than one unit (${listed.join(', ')}), so sizes cannot be compared. Say so, or compare another column.`,
  )
}

function noneFits(table: Table, comparisons: readonly Comparison[], tests: readonly Test[]): ToolError {
  const none = tests.filter(({ order, operator }) => !table.data.some(row => fits(order(row), operator)))
  const held = (none.length > 0 ? none : tests).map(
    ({ name, cells }) => `${name} holds ${valuesIn(table.data.map(row => cells[row]!))}`,
  )
  const undated = none.find(
    ({ isOfDates, order }) => isOfDates && table.data.every(row => order(row) === undefined),
  )
  const how = undated
    ? ` Only dates written as 2024-03-01 are compared with another; compare these by = as they stand, or group by ${undated.name}.`
    : ''
  return new ToolError(`No row fits ${comparisonText(comparisons)}; ${held.join('; ')}.${how}`)
}

/** Some of the different values, for who wrote one that is not among them. */
export function valuesIn(cells: readonly string[]): string {
  const values = [...new Set(cells.map(cell => shown(cell, 40) || '(empty)'))]
  const more = values.length > 20 ? ` and ${values.length - 20} more values` : ''
  return `${values.slice(0, 20).join(', ')}${more}`
}

function notRead(where: string): ToolError {
  return new ToolError(
    `where: expected a comparison, or several joined by "and", such as "amount >= 100 and region = North", got "${shown(where)}". For "or", make a call for each.`,
  )
}

function notSized(name: string, value: string, column?: Column): ToolError {
  const why = column?.reason ?? `"${shown(value)}" is no number, and no date such as 2024-03-01`
  return new ToolError(`where: ${name} cannot be compared so: ${why}. Write = or != with a cell's own text.`)
}

function unquoted(text: string): string {
  const isQuoted = text.length > 1 && QUOTES.includes(text[0]!) && QUOTES.includes(text.at(-1)!)
  const inner = text.slice(1, -1)
  // 'North' and 'South' is not one text.
  return isQuoted && !inner.includes(text[0]!) && !inner.includes(text.at(-1)!) ? inner.trim() : text
}
