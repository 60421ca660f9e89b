import { ToolError } from '@agent-task-service/engine/tool'
import { numbersIn, type Quantity } from './numbers.ts'
import type { Entry } from './operations.ts'
import { shown, type Table } from './table.ts'
import { valuesIn } from './where.ts'

/** The numbers of one column in the rows that fit, and what was left out. */
export interface Selection {
  readonly entries: readonly Entry[]
  readonly leftOut: readonly LeftOut[]
  readonly unit: Pick<Quantity, 'before' | 'after'>
  readonly note: string | undefined
}

interface LeftOut {
  /** "not a number". */
  readonly why: string
  readonly rows: readonly number[]
  /** Their cells, if the reader should see some. */
  readonly cells?: readonly string[]
}

/**
 * @param rows indices of those that fit
 * @throws {ToolError} if the column writes numbers in two ways or in two units, or holds none
 */
export function numbersOf(table: Table, place: number, rows: readonly number[]): Selection {
  const name = table.names[place]!
  const cells = table.rows.map(row => (isTooLong(table, row) ? '' : (row[place] ?? '')))
  const { values, note } = numbersIn(name, cells)
  const { kept, leftOut } = filled(table, place, rows)
  const used = kept.filter(row => values[row])
  const unread = kept.filter(row => !values[row])
  if (used.length === 0)
    throw noNumber(
      name,
      unread.map(row => cells[row]!),
    )
  const unit = unitOf(name, cells, used, values)
  return {
    entries: used.map(row => ({ row, value: values[row]!.value })),
    leftOut: [
      ...leftOut,
      { why: 'not a number', rows: unread, cells: unread.slice(0, 5).map(row => cells[row]!) },
    ],
    unit,
    note,
  }
}

/** The rows that fit whose cell holds something. */
export function filled(table: Table, place: number, rows: readonly number[]) {
  const long = rows.filter(row => isTooLong(table, table.rows[row]!))
  const whole = long.length === 0 ? rows : rows.filter(row => !isTooLong(table, table.rows[row]!))
  const isEmpty = (row: number) => (table.rows[row]![place] ?? '').trim() === ''
  const leftOut: LeftOut[] = [
    { why: 'empty', rows: whole.filter(isEmpty) },
    { why: 'with more cells than there are names', rows: long },
  ]
  return { kept: whole.filter(row => !isEmpty(row)), leftOut }
}

/** An unquoted comma inside a number makes two cells of it. */
function isTooLong({ names }: Table, row: readonly string[]): boolean {
  return row.length > names.length && row.slice(names.length).some(cell => cell.trim() !== '')
}

function unitOf(
  name: string,
  cells: readonly string[],
  used: readonly number[],
  values: readonly (Quantity | undefined)[],
): Pick<Quantity, 'before' | 'after'> {
  const first = values[used[0]!]!
  const other = used.find(row => !isSameUnit(values[row]!, first))
  if (other === undefined) return first
  const at = (row: number) => `"${shown(cells[row]!)}" (row ${row + 1})`
  throw new ToolError(
    `The column ${name} has two units, ${at(used[0]!)} and ${at(other)}: they do not add up. Choose rows of one unit by where, or say so.`,
  )
}

function isSameUnit(one: Quantity, other: Quantity): boolean {
  return one.before.trim() === other.before.trim() && one.after.trim() === other.after.trim()
}

function noNumber(name: string, cells: readonly string[]): ToolError {
  const held = cells.length > 0 ? valuesIn(cells) : 'nothing in these rows'
  return new ToolError(
    `No cell of ${name} is a number: it holds ${held}. Name a column of numbers, or write count.`,
  )
}
