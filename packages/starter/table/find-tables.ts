import Papa from 'papaparse'
import { isNumber } from './numbers.ts'
import { type Found, MAX_COLUMNS, MAX_ROWS, MAX_TABLES, plain } from './table.ts'

const DELIMITERS = ['\t', ';', ',', '|'] as const
type Delimiter = (typeof DELIMITERS)[number]
const QUOTE = '"'
/** Lines that show in which columns a table has numbers. */
const SAMPLE = 20

/** How many cells a row has so far, and whether a quoted cell goes on. */
interface Row {
  readonly count: number
  readonly isQuoted: boolean
}

/** The first tables in a text: CSV, TSV (also with semicolons) and Markdown, between blank lines or in a fence. */
export function tablesIn(text: string): Found[] {
  const tables: Found[] = []
  for (const lines of joined(blocksIn(linesOf(text)))) {
    const form = tables.length < MAX_TABLES ? formOf(lines) : undefined
    if (form) tables.push(cellsIn(lines, form))
  }
  return tables
}

function linesOf(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
}

interface Block {
  readonly lines: string[]
  readonly isFenced: boolean
}

/** Runs of lines without a blank one. A fence is one run, whatever it holds. */
function blocksIn(lines: readonly string[]): Block[] {
  const blocks: Block[] = [{ lines: [], isFenced: false }]
  let isFenced = false
  for (const line of lines) {
    const isFence = /^ {0,3}(?:```|~~~)/.test(line)
    if (isFence) isFenced = !isFenced
    if (isFence || (!isFenced && line.trim() === '')) blocks.push({ lines: [], isFenced })
    else blocks.at(-1)!.lines.push(line)
  }
  return blocks.filter(({ lines, isFenced }) => lines.length > 0 || isFenced)
}

/** The lines of each table, with those of later blocks that go on with its rows. */
function joined(blocks: readonly Block[]): string[][] {
  const all: string[][] = []
  let above: Above | undefined
  for (const { lines, isFenced } of blocks) {
    if (above && !isFenced && goesOn(above, lines)) {
      if (above.form.delimiter !== '|') above.lines.push('')
      for (const line of lines) above.lines.push(line)
      above.end = endOf(lines, above.form.delimiter, above.end.isQuoted)
      continue
    }
    all.push(lines)
    above = isFenced ? undefined : aboveOf(lines)
  }
  return all.filter(({ length }) => length > 1)
}

/** A table below which its rows may go on. */
interface Above {
  readonly lines: string[]
  readonly form: Form
  /** Its first rows, that of the names included. */
  readonly sample: readonly (readonly string[])[]
  end: Row
}

function aboveOf(lines: string[]): Above | undefined {
  const form = formOf(lines)
  if (!form) return undefined
  const sample = cellsIn(lines.slice(0, form.at + SAMPLE), form).cells
  return { lines, form, sample, end: endOf(lines.slice(form.at), form.delimiter, false) }
}

/** Whether a block below a blank line holds more rows of the table above it, not one of its own. */
function goesOn({ lines: before, form, sample, end }: Above, lines: readonly string[]): boolean {
  if (end.isQuoted) return true
  if (end.count !== form.columns || countOf(lines[0]!, form.delimiter, false).count !== form.columns)
    return false
  if (isSentence(lines[0]!)) return false
  if (form.isRuled) return isFramed(lines[0]!) === isFramed(before[form.at]!) && !lines.some(isRule)
  const [first = []] = cellsIn(lines.slice(0, 1), { ...form, at: 0 }).cells
  const [names = [], ...rows] = sample
  const isHeader = first.some((cell, at) => cell.trim() !== '' && plain(cell) === plain(names[at] ?? ''))
  return !isHeader && first.some((cell, at) => rows.some(row => isNumberLike(cell, row[at] ?? '')))
}

/** A space before it parts a word of a sentence from a cell: "In total, 3". */
function isNumberLike(cell: string, other: string): boolean {
  return isNumber(cell) && isNumber(other) && cell.startsWith(' ') === other.startsWith(' ')
}

function isFramed(line: string): boolean {
  return line.trimStart().startsWith('|')
}

/** The last row, and whether a quoted cell of it goes on. */
function endOf(lines: readonly string[], delimiter: Delimiter, isQuoted: boolean): Row {
  let row: Row = { count: 1, isQuoted }
  for (const line of lines) {
    const { count, isQuoted } = countOf(line, delimiter, row.isQuoted)
    row = { count: row.isQuoted ? row.count + count - 1 : count, isQuoted }
  }
  return row
}

/** How a table is written. */
interface Form {
  readonly delimiter: Delimiter
  /** The line of its names. */
  readonly at: number
  readonly columns: number
  /** Whether a line of dashes is below the names. */
  readonly isRuled?: boolean
}

function formOf(lines: readonly string[]): Form | undefined {
  if (lines.length < 2) return undefined
  const rule = lines.findIndex((line, at) => at > 0 && isRule(line) && lines[at - 1]!.includes('|'))
  const names = lines[rule - 1]
  if (names !== undefined)
    return { delimiter: '|', at: rule - 1, columns: cellsOf(names).length, isRuled: true }
  const starts = DELIMITERS.map(delimiter => ({ delimiter, ...startOf(lines, delimiter) }))
  const at = Math.min(...starts.map(start => (start.at < 0 ? lines.length : start.at)))
  const [first, ...others] = starts.filter(start => start.at === at)
  const pipes = others.find(({ delimiter }) => delimiter === '|')
  return first && pipes && pipes.columns > first.columns ? pipes : first
}

function cellsIn(lines: readonly string[], { delimiter, at }: Form): Found {
  const rows = lines.slice(at)
  return delimiter === '|' ? { cells: piped(rows) } : delimited(rows, delimiter)
}

/** The line under the names in Markdown; also a border that a database draws. */
function isRule(line: string): boolean {
  return line.includes('-') && /^[\s:|+-]+$/.test(line)
}

/** The first row that has as many cells as the next one: a sentence above a table has not. */
function startOf(lines: readonly string[], delimiter: Delimiter): { at: number; columns: number } {
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
function countOf(line: string, delimiter: Delimiter, isQuoted: boolean): Row {
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
  const inner = lines.filter((line, at) => !isRule(line) || (at !== 1 && !/\+|---/.test(line)))
  const end = inner.findIndex(line => !line.includes('|'))
  return inner.slice(0, end < 0 ? MAX_ROWS + 2 : end).map(cellsOf)
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
  const rows = withoutEnd(lines, delimiter)
  // The parser counts the blank lines that it leaves out.
  const blanks = rows.filter(line => line === '').length
  const { data, errors } = Papa.parse<string[]>(rows.join('\n'), {
    delimiter,
    newline: '\n',
    skipEmptyLines: true,
    preview: MAX_ROWS + 2 + blanks,
  })
  const fault = errors.find(({ type }) => type === 'Quotes')
  return { cells: data, fault: fault && `a quote that opens in row ${fault.row} is not closed` }
}

/** Without the sentences below the rows; in a quoted cell, a line may look like one. */
function withoutEnd(lines: readonly string[], delimiter: string): readonly string[] {
  if (lines.some(line => line.includes(QUOTE))) return lines
  return lines.slice(0, lines.findLastIndex(line => line.includes(delimiter)) + 1)
}
