import { type Column, columnOf } from './numbers.ts'
import { shortLine } from './text.ts'
import { isLabel, TotalRows } from './totals.ts'

export const MAX_COLUMNS = 200
export const MAX_ROWS = 100_000
export const MAX_TABLES = 100
/** How a line below the rows begins that says where they are from, or what a mark in them means. */
const REMARK = /^(?:[*†‡]|(?:sources?|quellen?|fuentes?|fonte|bron|notes?)\s*:)/i

/** A table as found: its first row holds the names of the columns. */
export interface FoundTable {
  readonly cells: readonly (readonly string[])[]
  /** Why its rows cannot be relied on: "a quote that opens in row 2 is not closed". */
  readonly fault?: string | undefined
}

/** A table as read; rows are told by their index. */
export interface Table {
  /** Names in the order of the columns; equal ones are numbered. */
  readonly names: readonly string[]
  /** All below the names, also those that are no data. */
  readonly rows: readonly (readonly string[])[]
  /** The rows that are data, the doubtful ones among them. */
  readonly data: readonly number[]
  /** The rows that are none. */
  readonly leftOut: readonly LeftOut[]
  /** Rows of data that may be totals of others. */
  readonly doubtful: ReadonlySet<number>
  /** What a reader of a result would want to know. */
  readonly notes: readonly string[]
  readonly fault: string | undefined
  /** The numbers of a column, by its place. */
  column(place: number): Column
}

interface LeftOut {
  /** "total", "below the rows". */
  readonly why: string
  readonly rows: readonly number[]
  /** Their cells, if the reader should see some. */
  readonly cells?: readonly string[]
}

export function tableOf({ cells, fault }: FoundTable): Table {
  const [header = [], ...rows] = cells
  const tooMany =
    (header.length > MAX_COLUMNS && `it has more than ${MAX_COLUMNS} columns`) ||
    (rows.length > MAX_ROWS && `it has more than ${MAX_ROWS} rows`)
  const names = namesOf(header)
  const areLong = rows.map(row => isTooLong(names, row))
  const columns = new Map<number, Column>()
  const column = (place: number) => {
    const known =
      columns.get(place) ?? columnOf(rows.map((row, at) => (areLong[at] ? '' : (row[place] ?? ''))))
    columns.set(place, known)
    return known
  }
  const whole = { names, rows, column, fault: fault ?? (tooMany || undefined) }
  if (whole.fault !== undefined) return { ...whole, data: [], leftOut: [], doubtful: new Set(), notes: [] }
  const end = rows.findLastIndex(row => !REMARK.test(labelOf(row))) + 1
  const all = rows.map((_, at) => at)
  const long = all.slice(0, end).filter(at => areLong[at])
  const written = all.slice(0, end).filter(at => !areLong[at])
  const totals = new TotalRows(rows, written, [...names.keys()].map(column))
  const sure = [...totals.sure].toSorted((one, other) => one - other)
  const labels = (of: readonly number[]) => of.map(at => labelOf(rows[at]!))
  return {
    ...whole,
    data: written.filter(at => !totals.sure.has(at)),
    leftOut: [
      { why: sure.length === 1 ? 'total' : 'totals', rows: sure, cells: labels(sure) },
      { why: 'below the rows', rows: all.slice(end), cells: labels(all.slice(end)) },
      { why: 'with more cells than there are names', rows: long },
    ],
    doubtful: totals.doubtful,
    notes: [...namesNote(names), ...sumNote(rows, totals)],
  }
}

/** An unquoted comma inside a number makes two cells of it. */
function isTooLong(names: readonly string[], row: readonly string[]): boolean {
  return row.length > names.length && row.slice(names.length).some(cell => cell.trim())
}

/** The cell that names a total, else the first that holds something, or "". */
export function labelOf(row: readonly string[]): string {
  return (row.find(isLabel) ?? row.find(cell => cell.trim()))?.trim() ?? ''
}

function namesNote(names: readonly string[]): string[] {
  if (!names.some(name => /^-?[\d.,]+$/.test(name) && !/^(?:19|20)\d\d$/.test(name))) return []
  return [
    `the first row, ${names.slice(0, 8).join(', ')}, was read as the names of the columns, not as data.`,
  ]
}

function sumNote(rows: Table['rows'], { ofAllOthers: row, doubtful }: TotalRows): string[] {
  if (row === undefined || doubtful.has(row)) return []
  return [
    `row ${row + 1}, "${shortLine(labelOf(rows[row]!))}", is the sum of all other rows, and was read as data.`,
  ]
}

/** Those of a first row; equal ones are numbered. */
export function namesOf(header: readonly string[]): string[] {
  const names = header.slice(0, MAX_COLUMNS).map((cell, at) => shortLine(cell) || `column ${at + 1}`)
  return names.map((name, at) => {
    const number = names.slice(0, at + 1).filter(one => one === name).length
    return names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${number})`
  })
}
