import { tablesIn } from '../table/find-tables.ts'
import { rowText } from './html-table.ts'
import { type Block, MAX_PAGE_TEXT, visible } from './passages.ts'

/** Lines that a text must have to be taken for rows if its type does not say so. */
const FEW = 4

/** The rows of a page of CSV or TSV, as those of a table in HTML are written; `undefined`: it is none. */
export function csvBlocks(text: string, type: string): Block[] | undefined {
  const [found, ...others] = tablesIn(wholeLines(text))
  if (!found || others.length > 0 || found.fault !== undefined) return undefined
  const [header = [], ...rows] = found.cells
  const isDeclared = /csv|tab-separated/.test(type)
  const isEven = rows.every(({ length }) => length === header.length) && rows.length >= FEW
  const isAll = text.trimStart().startsWith(header[0]?.trim() ?? '') || text.trimStart().startsWith('"')
  if (!isDeclared && !(isEven && isAll)) return undefined
  return [{ heading: '', text: lineOf(header), rows: rows.map(lineOf) }]
}

/** A number that is cut would be another number. */
function wholeLines(text: string): string {
  const beginning = text.slice(0, MAX_PAGE_TEXT)
  return beginning.length < text.length ? beginning.slice(0, beginning.lastIndexOf('\n') + 1) : text
}

const lineOf = (cells: readonly string[]) => rowText(cells.map(visible))
