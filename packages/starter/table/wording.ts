import type { Selection } from './column.ts'
import type { Result } from './operations.ts'
import { shown, type Table } from './table.ts'
import { type Comparison, comparisonText, type Fitting, isDate } from './where.ts'

const MOST_CELLS = 8
const MOST_ROWS = 5

/** "1 row", "2 rows". */
export function plural(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/** A value with the unit of its column: -$5.25, ≈ 3.5 kg. */
export function numberText({ value, isRounded }: Result, { before, after }: Selection['unit']): string {
  const sign = value.isNegative() && !value.isZero() ? '-' : ''
  return `${isRounded ? '≈ ' : ''}${sign}${before}${value.abs()}${after}`
}

/** "row 7: name = Ann, points = 3". */
export function rowText({ names, rows }: Table, row: number): string {
  const cells = names.slice(0, MOST_CELLS).map((name, at) => `${name} = ${shown(rows[row]![at] ?? '')}`)
  return `row ${row + 1}: ${cells.join(', ')}${names.length > MOST_CELLS ? ', ...' : ''}`
}

export function groupLines(
  groups: readonly { readonly key: string; readonly rows: number; readonly result: Result }[],
  most: number,
  unit: Selection['unit'],
): string[] {
  const lines = groups
    .slice(0, most)
    .map(({ key, rows, result }) => `${key}: ${numberText(result, unit)} (${plural(rows, 'row')})`)
  const more = groups.length - lines.length
  return more > 0 ? [...lines, `... and ${plural(more, 'more group')}`] : lines
}

/** Which rows were used, which cells were left out and why. */
export function usedText(
  { number, rows, page }: Table,
  { entries, leftOut }: Selection,
  fit: Fitting | undefined,
  comparison: Comparison | undefined,
): string[] {
  const fitted = fit && comparison ? `, of which ${fit.rows.length} fit ${comparisonText(comparison)}` : ''
  const place = page ? `in page ${page.number}` : 'in the task'
  const lines = [`Rows used: ${entries.length} of ${rows.length}${fitted} (table ${number}, ${place}).`]
  const parts = leftOut
    .filter(({ rows }) => rows.length > 0)
    .map(({ why, rows, cells }) => {
      return `${rows.length} ${why} (${cells ? cellsText(rows, cells) : rowsText(rows)})`
    })
  if (parts.length > 0) lines.push(`Left out: ${parts.join(', ')}.`)
  const uncompared = fit?.uncompared ?? []
  if (uncompared.length > 0 && comparison) {
    const lack = isDate(comparison.value) ? 'no dates as exact as the value' : 'no numbers or dates'
    lines.push(
      `Not compared: ${plural(uncompared.length, 'cell')} of ${shown(comparison.column)} that are ${lack} (${rowsText(uncompared)}).`,
    )
  }
  return lines
}

function rowsText(rows: readonly number[]): string {
  const some = rows.slice(0, MOST_ROWS).map(row => row + 1)
  return `${rows.length === 1 ? 'row' : 'rows'} ${some.join(', ')}${rows.length > MOST_ROWS ? ', ...' : ''}`
}

function cellsText(rows: readonly number[], cells: readonly string[]): string {
  const some = cells.slice(0, MOST_ROWS).map((cell, at) => `row ${rows[at]! + 1}: "${shown(cell, 30)}"`)
  return `${some.join(', ')}${rows.length > MOST_ROWS ? ', ...' : ''}`
}
