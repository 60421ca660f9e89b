import { ToolError } from '@agent-task-service/engine/tool'
import type { Quantity } from './numbers.ts'
import type { Entry } from './operations.ts'
import { type LeftOut, shown, type Table } from './table.ts'
import { valuesIn } from './where.ts'

/** The numbers of one column in the rows that fit, and what was left out. */
export interface Selection {
  readonly entries: readonly Entry[]
  readonly leftOut: readonly LeftOut[]
  readonly unit: Pick<Quantity, 'before' | 'after'>
  readonly note: string | undefined
}

/**
 * @param rows indices of those that fit
 * @throws {ToolError} if the column writes numbers in two ways or in two units, or holds none
 */
export function numbersOf(table: Table, place: number, rows: readonly number[]): Selection {
  const name = table.names[place]!
  const { values, note, fault, reason } = table.column(place)
  if (fault !== undefined) throw new ToolError(fault)
  const cellOf = (row: number) => table.rows[row]![place]!
  const { kept, leftOut } = filled(table, place, rows)
  const used = kept.filter(row => values[row])
  const unread = kept.filter(row => !values[row])
  if (used.length === 0) throw noNumber(name, unread.map(cellOf), reason)
  const other = used.find(row => values[row]!.unit !== values[used[0]!]!.unit)
  if (other !== undefined) {
    const at = (row: number) => `"${shown(cellOf(row))}" (row ${row + 1})`
    throw new ToolError(
      `The column ${name} has two units, ${at(used[0]!)} and ${at(other)}: they do not add up. Choose rows of one unit by where, or say so.`,
    )
  }
  return {
    entries: used.map(row => ({ row, value: values[row]!.value })),
    leftOut: [...leftOut, { why: 'not a number', rows: unread, cells: unread.slice(0, 5).map(cellOf) }],
    unit: values[used[0]!]!,
    note,
  }
}

/** The rows that fit whose cell holds something. */
export function filled({ rows: all }: Table, place: number, rows: readonly number[]) {
  const isEmpty = (row: number) => (all[row]![place] ?? '').trim() === ''
  const leftOut: LeftOut[] = [{ why: 'empty', rows: rows.filter(isEmpty) }]
  return { kept: rows.filter(row => !isEmpty(row)), leftOut }
}

function noNumber(name: string, cells: readonly string[], reason: string | undefined): ToolError {
  const held = cells.length > 0 ? valuesIn(cells) : 'nothing in these rows'
  const why = reason === undefined ? '' : ` (${reason})`
  return new ToolError(
    `No cell of ${name} is a number: it holds ${held}${why}. Name a column of numbers, or write count.`,
  )
}
