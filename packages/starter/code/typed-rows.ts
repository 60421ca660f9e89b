import { labelOf, type Table } from '../table/table.ts'
import { shortLine } from '../table/text.ts'

/** Significant digits that JavaScript's numbers keep of any decimal. */
const DIGITS = 15
/** Rows that a note names. */
const MOST_ROWS = 5
const MOST_NAMES = 12
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec'
/** With the month as a word: no other date has one reading. */
const DATE =
  /^(?:(?<day>\d{1,2})(?:st|nd|rd|th)?[. ] ?(?<month>[a-z]{3,9})\.?,? (?<year>\d{4})|(?<month>[a-z]{3,9})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4}))$/i
/** A date in any notation. */
const LIKE_DATE = /^(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|.{0,12}\b\d{4}\b.{0,10})$/

export interface TypedRows {
  readonly names: readonly string[]
  /** Those that are data. By name: a number, a date as in ISO 8601, another text; `null` for an empty cell. */
  readonly rows: readonly Readonly<Record<string, Value>>[]
  /** Places in `rows` of those that may be totals of others, and their names: row 4 ("All"). */
  readonly doubtful: readonly { readonly at: number; readonly label: string }[]
  /** Names of the columns of numbers. */
  readonly numbers: readonly string[]
  /** What a reader of a result would want to know of them. */
  readonly notes: readonly string[]
}

type Value = string | number | null

interface Column {
  readonly values: readonly (Value | undefined)[]
  readonly isNumeric?: boolean
  readonly notes: readonly string[]
}

/**
 * The rows of a table as objects. A column is one of numbers if more than half of its cells are, in one notation and unit, none with
 * zeros in front or more than 15 digits; one of dates if all cells are dates. Else its cells are texts.
 */
export function typedRows(table: Table): TypedRows {
  const { names, rows, data, leftOut } = table
  const columns = names.map((_, place) => columnOf(table, place))
  return {
    names,
    rows: data.map(row =>
      Object.fromEntries(names.map((name, place) => [name, columns[place]!.values[row] ?? null])),
    ),
    doubtful: data.flatMap((row, at) =>
      table.doubtful.has(row) ? [{ at, label: `row ${row + 1} ("${shortLine(labelOf(rows[row]!))}")` }] : [],
    ),
    numbers: names.filter((_, place) => columns[place]!.isNumeric),
    notes: [
      ...leftOut
        .filter(({ rows }) => rows.length > 0)
        .map(({ why, rows, cells }) => {
          return `left out: ${rows.length} ${why} (${cells ? cellsText(rows, cells) : rowsText(rows)})`
        }),
      ...columns.flatMap(({ notes }) => notes),
      ...emptyNote(table),
      ...table.notes,
    ],
  }
}

function columnOf(table: Table, place: number): Column {
  const { names, rows, data } = table
  const cells = rows.map(row => row[place]?.trim() ?? '')
  const { type, values, note, fault } = table.column(place)
  const dates = cells.map(dateIn)
  if (data.some(row => dates[row]) && data.every(row => dates[row] ?? cells[row] === ''))
    return { values: dates, notes: [] }
  const texts = cells.map(cell => cell || null)
  const why = fault ?? longNumber(table, place)
  if (why !== undefined) return { values: texts, notes: [`${names[place]} is text: ${why}`] }
  if (type === 'text') return { values: texts, notes: textNote(table, place, cells) }
  const unit = values.find(value => value)?.unit
  const others = data.filter(row => !values[row] && cells[row] !== '')
  const odd = others.map(row => cells[row]!)
  const notes = [
    unit && `${names[place]} is in ${unit}`,
    odd.length > 0 && `${odd.length} of ${names[place]} are no numbers (${cellsText(others, odd)})`,
    note && `of ${names[place]}, ${note.replace(/\.$/, '')}`,
    spellingNote(table, place, cells),
  ]
  return {
    values: rows.map((_, row) => values[row]?.value.toNumber() ?? texts[row]),
    isNumeric: true,
    notes: notes.flatMap(note => note || []),
  }
}

/** Why a column is text, of which at least a quarter looks like numbers or dates. */
function textNote({ names, data, column }: Table, place: number, cells: readonly string[]): string[] {
  const { values } = column(place)
  const filled = data.filter(row => cells[row])
  const most = (rows: readonly number[]) => rows.length > 0 && rows.length * 4 >= filled.length
  const at = (row: number) => cellsText([row], [cells[row]!])
  const numbers = filled.filter(row => values[row])
  if (most(numbers))
    return [
      `${names[place]} is text: ${filled.length - numbers.length} are no numbers (${at(filled.find(row => !values[row])!)})`,
    ]
  const isDate = (row: number) => LIKE_DATE.test(cells[row]!)
  const dates = filled.filter(isDate)
  const first = dates.find(row => !dateIn(cells[row]!)) ?? filled.find(row => !isDate(row))
  return most(dates) && first !== undefined
    ? [`${names[place]} is text, not dates as 2024-03-05 (${at(first)})`]
    : []
}

/** As of versions: 1.1 and 1.10. */
function spellingNote({ data, column }: Table, place: number, cells: readonly string[]): string | undefined {
  const { values } = column(place)
  const spelling = new Map<string, string>()
  for (const row of data) {
    const number = values[row]?.value.toString()
    if (number === undefined) continue
    const cell = cells[row]!
    const other = spelling.get(number)
    if (other !== undefined && other !== cell)
      return `"${shortLine(other, 30)}" and "${shortLine(cell, 30)}" are one number`
    spelling.set(number, cell)
  }
  return undefined
}

function emptyNote({ names, rows, data }: Table): string[] {
  const columns = names.flatMap((name, place) => {
    const empty = data.filter(row => !rows[row]![place]?.trim())
    return empty.length > 0 ? [`${name} (${rowsText(empty)})`] : []
  })
  const more = columns.length > MOST_NAMES ? ', ...' : ''
  return columns.length > 0 ? [`null, as empty: ${columns.slice(0, MOST_NAMES).join(', ')}${more}`] : []
}

/** A number that JavaScript would round. */
function longNumber({ rows, column }: Table, place: number): string | undefined {
  const { type, values } = column(place)
  const long = type === 'number' ? values.findIndex(value => value && value.value.precision() > DIGITS) : -1
  return long < 0 ? undefined : `"${shortLine(rows[long]![place]!, 30)}" has more than ${DIGITS} digits`
}

/** `row 3: "n/a", row 5: "-"`. */
function cellsText(rows: readonly number[], cells: readonly string[]): string {
  const some = cells.slice(0, MOST_ROWS).map((cell, at) => `row ${rows[at]! + 1}: "${shortLine(cell, 30)}"`)
  return `${some.join(', ')}${rows.length > MOST_ROWS ? ', ...' : ''}`
}

/** `row 3`, `rows 1, 2, 3, 4, 5, ...`. */
function rowsText(rows: readonly number[]): string {
  const some = rows.slice(0, MOST_ROWS).map(row => row + 1)
  return `${rows.length === 1 ? 'row' : 'rows'} ${some.join(', ')}${rows.length > MOST_ROWS ? ', ...' : ''}`
}

/** As in ISO 8601. */
function dateIn(cell: string): string | undefined {
  if (/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/.test(cell)) return cell
  const { day, month, year } = DATE.exec(cell)?.groups ?? {}
  const number = month === undefined ? -1 : MONTHS.indexOf(month.slice(0, 3).toLowerCase())
  if (number < 0 || number % 3 !== 0) return undefined
  const date = new Date(Date.UTC(Number(year), number / 3, Number(day)))
  return date.getUTCDate() === Number(day) ? date.toISOString().slice(0, 10) : undefined
}
