import type { Placed } from './choose-table.ts'
import type { Selection } from './column.ts'
import type { Result } from './operations.ts'
import { type LeftOut, rowsText, shown, type Table } from './table.ts'
import { type Comparison, comparisonText, type Fitting } from './where.ts'

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
  { number, rows, page, leftOut }: Placed,
  selection: Selection,
  fit: Fitting | undefined,
  comparisons: readonly Comparison[],
): string[] {
  const fitted = fit ? `, of which ${fit.rows.length} fit ${comparisonText(comparisons)}` : ''
  const place = page ? `in page ${page.number}` : 'in the task'
  return [
    `Rows used: ${selection.entries.length} of ${rows.length}${fitted} (table ${number}, ${place}).`,
    ...leftOutText([...selection.leftOut, ...leftOut]),
    ...(fit?.uncompared ?? []).flatMap(({ rows, why }) =>
      rows.length > 0 ? [`Not compared: ${rows.length} ${why} (${rowsText(rows)}).`] : [],
    ),
  ]
}

/** At most one line: `Left out: 1 total (row 3: "Total").` */
export function leftOutText(parts: readonly LeftOut[]): string[] {
  const texts = parts.flatMap(({ why, rows, cells }) =>
    rows.length > 0 ? [`${rows.length} ${why} (${cells ? cellsText(rows, cells) : rowsText(rows)})`] : [],
  )
  return texts.length > 0 ? [`Left out: ${texts.join(', ')}.`] : []
}

export function cellsText(rows: readonly number[], cells: readonly string[]): string {
  const some = cells.slice(0, MOST_ROWS).map((cell, at) => `row ${rows[at]! + 1}: "${shown(cell, 30)}"`)
  return `${some.join(', ')}${rows.length > MOST_ROWS ? ', ...' : ''}`
}
