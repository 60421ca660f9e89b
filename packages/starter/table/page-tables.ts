import type { RunPage } from '../web-search/run-pages.ts'
import type { FoundTable } from './table.ts'

/** The tables of a page. Its passages are parts of them, each with the rows of names above it. */
export function tablesOn({ passages }: Pick<RunPage, 'passages'>): FoundTable[] {
  const parts = passages.flatMap(({ table, text }) => (table ? [{ table, lines: text.split('\n') }] : []))
  return [...Map.groupBy(parts, ({ table }) => table.number).values()].map(of => {
    const { names } = of[0]!.table
    const rows = of.flatMap(({ lines }) => lines.slice(names))
    return { cells: rowsOf(of[0]!.lines.slice(0, names), rows) }
  })
}

/** Cells of rows as they stand in a page; the first row has the names. */
export function rowsOf(header: readonly string[], rows: readonly string[]): string[][] {
  // A single line may begin so because its first cell is empty.
  const isFramed = [...header, ...rows].every(line => line.startsWith('|'))
  const cells = rows.map(line => cellsOf(line, isFramed))
  return header.length > 0 ? [joined(header.map(line => cellsOf(line, isFramed))), ...cells] : cells
}

function cellsOf(line: string, isFramed: boolean): string[] {
  const cells = line.split('|').map(cell => cell.trim())
  return isFramed ? cells.slice(1, line.endsWith('|') ? -1 : undefined) : cells
}

/** Several rows of names as one: "Years" above "from" is "Years from". */
function joined(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(...rows.map(({ length }) => length))
  return Array.from({ length: columns }, (_, at) =>
    [...new Set(rows.map(row => row[at] ?? ''))].filter(Boolean).join(' '),
  )
}
