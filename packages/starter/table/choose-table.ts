import { ToolError } from '@agent-task-service/engine/tool'
import type { RunPage } from '../web-search/run-pages.ts'
import { placeOf, shown, type Table } from './table.ts'

const MOST_LISTED = 20
const MOST_NAMES = 12

/** A table of the task or of a page, as the model names it. */
export interface Placed extends Table {
  /** From 1. */
  readonly number: number
  /** The page where it stands; none: the task. */
  readonly page: RunPage | undefined
}

/**
 * The table of a request: the one that the model numbers, else the only one that has the columns.
 *
 * @param column may begin with the number: "table 2: amount"
 * @returns the table, and the column without the number
 * @throws {ToolError} listing the tables, or the columns of the only one
 */
export function chooseTable(
  tables: readonly Placed[],
  column: string,
  others: readonly string[],
): { readonly table: Placed; readonly column: string } {
  if (tables.length === 0) throw noTable()
  const [, number, name] = /^table (\d{1,3}): ?(.*)$/i.exec(column) ?? []
  const among = number === undefined ? tables : tables.filter(table => table.number === Number(number))
  if (among.length === 0) throw new ToolError(`There is no table ${number}.\n${listed(tables)}`)
  const names = [...new Set([name ?? column, ...others])]
  const having = among.filter(table => names.every(one => placeOf(table, one) >= 0))
  if (having.length > 1) throw several(having, names[0]!)
  const [table] = having
  if (!table) throw unknown(among, names)
  if (table.fault !== undefined)
    throw new ToolError(`Table ${table.number} cannot be relied on: ${table.fault}. Say so.`)
  return { table, column: names[0]! }
}

function noTable(): ToolError {
  return new ToolError(
    'There is no table in the task, nor in a page that was read: expected rows as CSV, TSV, Markdown, HTML or JSON objects, below a row of names. Read the page that holds them first, or say that there are none.',
  )
}

function unknown(tables: readonly Placed[], names: readonly string[]): ToolError {
  const [only, another] = tables
  const lacks = (table: Table) => names.filter(name => placeOf(table, name) < 0)
  const quoted = (missing: readonly string[]) => missing.map(name => `"${shown(name)}"`).join(' and ')
  if (only && !another) {
    const fault = only.fault === undefined ? '' : ` Besides, ${only.fault}.`
    return new ToolError(
      `There is no column ${quoted(lacks(only))} in the table; its columns are ${namesOf(only, 60)}. Write one of these names.${fault}`,
    )
  }
  const what = names.length > 1 ? 'columns' : 'column'
  return new ToolError(
    `No table has the ${what} ${quoted(names)}. Write names of one of these tables.\n${listed(tables)}`,
  )
}

function several(tables: readonly Placed[], column: string): ToolError {
  const form = `table ${tables[0]!.number}: ${shown(column)}`
  return new ToolError(
    `Several tables have these columns. Write the number before the name, such as column: "${form}".\n${listed(tables)}`,
  )
}

function listed(tables: readonly Placed[]): string {
  const lines = tables.slice(0, MOST_LISTED).map(table => {
    const { number, page, rows } = table
    const count = rows.length === 1 ? '1 row' : `${rows.length} rows`
    return `table ${number} (${page ? `in page ${page.number}` : 'in the task'}): ${count} of ${namesOf(table, MOST_NAMES)}`
  })
  const more = tables.length - lines.length
  return [...lines, ...(more > 0 ? [`... and ${more} more tables`] : [])].join('\n')
}

function namesOf({ names }: Table, most: number): string {
  const more = names.length > most ? ` and ${names.length - most} more` : ''
  return `${names.slice(0, most).join(', ')}${more}`
}
