import Papa from 'papaparse'
import { type Found, MAX_COLUMNS, MAX_ROWS, MAX_TABLES } from './table.ts'

const DELIMITERS = ['\t', ';', ',', '|'] as const
const QUOTE = '"'

/** The first tables in a text: CSV, TSV (also with semicolons) and Markdown, between blank lines or in a fence. */
export function tablesIn(text: string): Found[] {
  const tables: Found[] = []
  for (const lines of blocksIn(linesOf(text))) {
    const found = tables.length < MAX_TABLES ? tableIn(lines) : undefined
    if (found) tables.push(found)
  }
  return tables
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
}

/** Runs of lines without a blank one. A fence is one run, whatever it holds. */
function blocksIn(lines: readonly string[]): string[][] {
  const blocks: string[][] = [[]]
  let isFenced = false
  for (const line of lines) {
    const isFence = /^ {0,3}(?:```|~~~)/.test(line)
    if (isFence) isFenced = !isFenced
    if (isFence || (!isFenced && line.trim() === '')) blocks.push([])
    else blocks.at(-1)!.push(line)
  }
  return blocks.filter(({ length }) => length > 1)
}

function tableIn(lines: readonly string[]): Found | undefined {
  const rule = lines.findIndex((line, at) => at > 0 && isRule(line) && lines[at - 1]!.includes('|'))
  if (rule > 0) return { cells: piped(lines.slice(rule - 1)) }
  const starts = DELIMITERS.map(delimiter => ({ delimiter, ...startOf(lines, delimiter) }))
  const [first] = starts
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at || other.columns - one.columns)
  if (!first) return undefined
  const rows = lines.slice(first.at)
  return first.delimiter === '|' ? { cells: piped(rows) } : delimited(rows, first.delimiter)
}

/** The line under the names in Markdown. */
function isRule(line: string): boolean {
  return line.includes('-') && /^[\s:|-]+$/.test(line)
}

/** The first row that has as many cells as the next one: a sentence above a table has not. */
function startOf(lines: readonly string[], delimiter: string): { at: number; columns: number } {
  let [before, columns] = [-1, 1]
  let row = { at: 0, count: 0, isQuoted: false }
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' && !row.isQuoted) continue
    const { count, isQuoted } = countOf(line, delimiter, row.isQuoted)
    row = row.isQuoted ? { ...row, count: row.count + count - 1, isQuoted } : { at, count, isQuoted }
    if (isQuoted) continue
    if (row.count > 1 && row.count === columns) return { at: before, columns }
    columns = isSentence(line) ? 1 : row.count
    before = row.at
  }
  // A quote that never ends: the table is refused by it.
  return row.isQuoted && columns > 1 ? { at: before, columns } : { at: -1, columns: 0 }
}

/** Its commas part no cells, though the next line may have as many. */
function isSentence(line: string): boolean {
  return line.includes(', ') && /[.:?!]$/.test(line.trimEnd())
}

/**
 * How many cells a line has: more than are read count as one too many.
 *
 * @param isQuoted whether a quoted cell goes on from the line before
 */
function countOf(line: string, delimiter: string, isQuoted: boolean): { count: number; isQuoted: boolean } {
  if (delimiter === '|') return { count: cellsOf(line).length, isQuoted: false }
  let count = 1
  // Of quotes in a row, each turns; a cell that does not begin with one has none.
  let mayTurn = true
  for (let at = 0; at < line.length && count <= MAX_COLUMNS; at += 1) {
    const isQuote = line[at] === QUOTE
    if (isQuote && (isQuoted || mayTurn)) isQuoted = !isQuoted
    else if (!isQuoted && line[at] === delimiter) count += 1
    mayTurn = isQuote || line[at] === delimiter
  }
  return { count, isQuoted }
}

/** Rows up to the first line without a cell's border. */
function piped(lines: readonly string[]): string[][] {
  const end = lines.findIndex(line => !line.includes('|'))
  const rows = lines.slice(0, end < 0 ? MAX_ROWS + 2 : end)
  return rows.filter((line, at) => at !== 1 || !isRule(line)).map(cellsOf)
}

function cellsOf(line: string): string[] {
  const row = line.trim()
  const begin = row.startsWith('|') ? 1 : 0
  const end = row.endsWith('|') && !row.endsWith('\\|') && row.length > 1 ? -1 : row.length
  return row
    .slice(begin, end)
    .split(/(?<!\\)\|/, MAX_COLUMNS + 1)
    .map(cell => unmarked(cell.trim()).replaceAll('\\|', '|'))
}

/** A cell without the marks of bold, italic or code around it. */
function unmarked(cell: string): string {
  let [begin, end] = [0, cell.length]
  while (end - begin > 1 && '*_`'.includes(cell[begin]!) && cell[begin] === cell[end - 1]) {
    begin += 1
    end -= 1
  }
  return cell.slice(begin, end)
}

function delimited(lines: readonly string[], delimiter: string): Found {
  const { data, errors } = Papa.parse<string[]>(withoutEnd(lines, delimiter).join('\n'), {
    delimiter,
    newline: '\n',
    skipEmptyLines: true,
    preview: MAX_ROWS + 2,
  })
  const fault = errors.find(({ type }) => type === 'Quotes')
  return { cells: data, fault: fault && `a quote that opens in row ${fault.row} is not closed` }
}

/** Without the sentences below the rows; in a quoted cell, a line may look like one. */
function withoutEnd(lines: readonly string[], delimiter: string): readonly string[] {
  if (lines.some(line => line.includes(QUOTE))) return lines
  return lines.slice(0, lines.findLastIndex(line => line.includes(delimiter)) + 1)
}
