import { tablesIn } from './find-tables.ts'
import { type Table, tableOf } from './table.ts'

/**
 * The tables of a text as they are read: which rows are data, and which columns hold numbers.
 *
 * @returns at most 100; those with a `fault` have no rows of data
 */
export function readTables(text: string): Table[] {
  return tablesIn(text).map(tableOf)
}
