import { ToolError } from '@agent-task-service/engine/tool'
import { type Numbers, numbersIn } from '../table/numbers.ts'
import { shown, type Table } from '../table/table.ts'

/** Significant digits that JavaScript's numbers keep of any decimal. */
const DIGITS = 15
const MOST_ROWS = 5
const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec'
/** With the month as a word: no other date has one reading. */
const DATE =
  /^(?:(?<day>\d{1,2})(?:st|nd|rd|th)?[. ] ?(?<month>[a-z]{3,9})\.?,? (?<year>\d{4})|(?<month>[a-z]{3,9})\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4}))$/i

export interface TypedRows {
  readonly names: readonly string[]
  /** By name: a number, a date as in ISO 8601, another text; `null` for an empty cell. */
  readonly rows: readonly Readonly<Record<string, string | number | null>>[]
  /** What a reader of a result would want to know of them. */
  readonly notes: readonly string[]
}

/**
 * The rows of a table as objects. A column is one of numbers if more than half of its cells are, in one notation and unit, none with
 * zeros in front or more than 15 digits; one of dates if all cells are dates. Else its cells are texts.
 */
export function typedRows({ names, rows, page }: Table): TypedRows {
  const whole = rows.filter(row => !row.slice(names.length).some(cell => cell.trim() !== ''))
  const columns = names.map((name, at) =>
    columnOf(
      name,
      whole.map(row => (row[at] ?? '').trim()),
    ),
  )
  const left = rows.length - whole.length
  return {
    names,
    rows: whole.map((_, row) =>
      Object.fromEntries(names.map((name, at) => [name, columns[at]!.values[row] ?? null])),
    ),
    notes: [
      ...(left > 0 ? [`left out: ${left} rows with more cells than there are names`] : []),
      ...columns.flatMap(({ note }) => note ?? []),
      ...(page?.isCut ? ['only the beginning of this page was read: rows may be missing'] : []),
    ],
  }
}

interface Column {
  readonly values: readonly (string | number | null)[]
  readonly note?: string | undefined
}

function columnOf(name: string, cells: readonly string[]): Column {
  const texts = cells.map(cell => cell || null)
  const filled = cells.filter(cell => cell !== '')
  const dates = cells.map(dateIn)
  if (filled.length > 0 && dates.every((date, at) => date ?? cells[at] === ''))
    return { values: dates.map(date => date ?? null) }
  try {
    const { values, note } = numbersIn(name, cells)
    const numbers = values.filter(value => value !== undefined)
    if (numbers.length * 2 <= filled.length) return { values: texts }
    const odd = oddity(cells, values)
    if (odd) return { values: texts, note: `${name} is text: ${odd}` }
    const { before, after } = numbers[0]!
    const unit = `${before}${after}`.trim()
    const others = cells.flatMap((cell, at) =>
      values[at] ? [] : [`row ${at + 1}: ${cell === '' ? 'null' : `"${shown(cell, 30)}"`}`],
    )
    const notes = [
      unit && `${name} is in ${unit}`,
      others.length > 0 &&
        `${others.length} of ${name} are no numbers (${others.slice(0, MOST_ROWS).join(', ')}${others.length > MOST_ROWS ? ', ...' : ''})`,
      note?.replace(/\.$/, ''),
    ].filter(Boolean)
    return {
      values: values.map((value, at) => (value ? value.value.toNumber() : texts[at]!)),
      note: notes.join('; ') || undefined,
    }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { values: texts, note: `${name} is text: ${error.message}` }
  }
}

/** Why cells that are numbers must stay texts. */
function oddity(cells: readonly string[], values: Numbers['values']): string | undefined {
  const example = (at: number) => `"${shown(cells[at]!, 30)}"`
  const unitOf = (at: number) => `${values[at]!.before.trim()} ${values[at]!.after.trim()}`
  const places = [...values.keys()].filter(at => values[at])
  const other = places.find(at => unitOf(at) !== unitOf(places[0]!))
  if (other !== undefined) return `it has two units, ${example(places[0]!)} and ${example(other)}`
  const padded = places.find(at => /^0\d/.test(cells[at]!))
  if (padded !== undefined) return `${example(padded)} has a zero in front`
  const long = places.find(at => values[at]!.value.precision() > DIGITS)
  return long === undefined ? undefined : `${example(long)} has more than ${DIGITS} digits`
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
