import { Parser } from 'htmlparser2'
import Papa from 'papaparse'
import { HtmlTable } from '../web-search/html-table.ts'
import { visible } from '../web-search/passages.ts'
import { isNumber } from './numbers.ts'
import { rowsOf } from './page-tables.ts'
import { type FoundTable, MAX_COLUMNS, MAX_ROWS, MAX_TABLES } from './table.ts'
import { comparable } from './text.ts'

const DELIMITERS = ['\t', ';', ',', '|'] as const
type Delimiter = (typeof DELIMITERS)[number]
/** Lines that show in which columns a table has numbers. */
const SAMPLE = 20
const QUOTED = /(?<=^|[\t;,])"(?:[^"]|"")*"(?=[\t;,]|$)/gm
/** Lines of a box; others are its corners. */
const BOX: Readonly<Record<string, string>> = { '─': '-', '━': '-', '═': '-', '│': '|', '┃': '|', '║': '|' }
/** Stands for the end of a line in a quoted cell. */
const LINE_END = '\ue000'

/** The first tables in a text: CSV, TSV, Markdown and boxes, between blank lines or in a fence; and HTML. */
export function tablesIn(text: string): FoundTable[] {
  const [first = '', ...parts] = text.split(/<table\b/i)
  const html = parts.map(part => part.split(/<\/table>/i))
  const others = [first, ...html.map(([, ...after]) => after.join('\n'))].join('\n\n')
  const tables: FoundTable[] = []
  for (const lines of joined(blocksIn(linesOf(others)))) {
    if (tables.length >= MAX_TABLES) break
    const form = formOf(lines)
    if (form) tables.push(cellsIn(lines, form))
  }
  return [...tables, ...html.slice(0, MAX_TABLES).map(([table]) => htmlRows(`<table${table}`))]
}

/** Lines as those that are read: one in which a quoted cell ends begins where the cell does. */
function linesOf(text: string): string[] {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    // Excel names its delimiter.
    .replace(/^sep=.\n/gim, '')
    .replace(/[\u2500-\u257f]/g, line => BOX[line] ?? '+')
  // A quote behind which the cell goes on, or its last quote follows, was escaped by a backslash.
  const escaped = /\\"(?:[^",;\t\n]|"(?:[,;\t]|$))/m.test(lines) ? lines.replaceAll('\\"', '""') : lines
  return escaped.replace(QUOTED, cell => cell.replaceAll('\n', LINE_END)).split('\n')
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
function* joined(blocks: readonly Block[]): Generator<string[]> {
  let lines: string[] = []
  let above: Above | undefined
  for (const block of blocks) {
    if (above && !block.isFenced && goesOn(lines, above, block.lines)) {
      for (const line of block.lines) lines.push(line)
      continue
    }
    yield lines
    lines = block.lines
    const form = block.isFenced ? undefined : formOf(lines)
    above = form && { ...form, sample: cellsIn(lines.slice(0, form.at + SAMPLE), form).cells }
  }
  yield lines
}

/** A table below which its rows may go on. */
interface Above extends Form {
  /** Its first rows, that of the names included. */
  readonly sample: FoundTable['cells']
}

/** Whether a block below a blank line holds more rows of the table above it, not one of its own. */
function goesOn(lines: readonly string[], above: Above, more: readonly string[]): boolean {
  const [first, last] = [more[0]!, lines.at(-1)!]
  if ([first, last].some(line => countOf(line, above.delimiter) !== above.columns) || isSentence(first))
    return false
  if (above.isRuled) return isFramed(first) === isFramed(lines[above.at]!) && !more.some(isRule)
  const [names = [], ...rows] = above.sample
  const [cells = []] = cellsIn([first], { ...above, at: 0 }).cells
  const isHeader = cells.some(
    (cell, at) => cell.trim() !== '' && comparable(cell) === comparable(names[at] ?? ''),
  )
  return !isHeader && cells.some((cell, at) => rows.some(row => isNumberLike(cell, row[at] ?? '')))
}

/** A space before it parts a word of a sentence from a cell: "In total, 3". */
function isNumberLike(cell: string, other: string): boolean {
  return isNumber(cell) && isNumber(other) && cell.startsWith(' ') === other.startsWith(' ')
}

function isFramed(line: string): boolean {
  return line.trimStart().startsWith('|')
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
  const at = Math.min(...starts.map(start => start.at))
  const [first, ...others] = starts.filter(start => start.at === at && at < lines.length)
  const pipes = others.find(({ delimiter }) => delimiter === '|')
  return first && pipes && pipes.columns > first.columns ? pipes : first
}

/** The line under the names in Markdown; also a border that a database draws. */
function isRule(line: string): boolean {
  return line.includes('-') && /^[\s:|+-]+$/.test(line)
}

/** The first row that has as many cells as the next one: a sentence above a table has not. */
function startOf(lines: readonly string[], delimiter: Delimiter): { at: number; columns: number } {
  let [before, columns] = [-1, 1]
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue
    const count = countOf(line, delimiter)
    if (count > 1 && count === columns) return { at: before, columns }
    columns = isSentence(line) ? 1 : count
    before = at
  }
  return { at: lines.length, columns: 0 }
}

/** Its commas part no cells, though the next line may have as many. */
function isSentence(line: string): boolean {
  return line.includes(', ') && /[.:?!]$/.test(line.trimEnd())
}

/** How many cells a line has. */
function countOf(line: string, delimiter: Delimiter): number {
  return delimiter === '|' ? cellsOf(line).length : line.replace(QUOTED, '').split(delimiter).length
}

function cellsIn(lines: readonly string[], { delimiter, at }: Form): FoundTable {
  const rows = lines.slice(at)
  return delimiter === '|' ? { cells: piped(rows) } : delimited(rows, delimiter)
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

/** Rows without the sentences below them. */
function delimited(lines: readonly string[], delimiter: Delimiter): FoundTable {
  const end = lines.findLastIndex(line => countOf(line, delimiter) > 1) + 1
  const { data, errors } = Papa.parse<string[]>(lines.slice(0, end).join('\n'), {
    delimiter,
    newline: '\n',
    skipEmptyLines: true,
    preview: MAX_ROWS + 2,
    transform: cell => cell.replaceAll(LINE_END, '\n'),
  })
  const fault = errors.find(({ type }) => type === 'Quotes')
  return {
    cells: data,
    fault: fault && `a quote that opens in row ${fault.row} is not closed`,
  }
}

function htmlRows(html: string): FoundTable {
  const table = new HtmlTable()
  let text = ''
  const isCell = (name: string) => name === 'td' || name === 'th'
  const parser = new Parser({
    onopentag(name, { colspan, rowspan }) {
      if (name === 'tr') table.beginRow()
      if (!isCell(name)) return
      table.beginCell(name === 'th', Number(colspan), Number(rowspan))
      text = ''
    },
    ontext(more) {
      text += more
    },
    onclosetag(name) {
      if (isCell(name)) table.endCell(visible(text))
    },
  })
  parser.end(html)
  const { header, rows } = table.lines()
  return { cells: rowsOf(header === '' ? [] : header.split('\n'), rows) }
}
