import { truncate } from '@agent-task-service/wire/untrusted'
import { visible } from '../web-search/passages.ts'
import type { RunPage } from '../web-search/run-pages.ts'

export const MAX_COLUMNS = 200
export const MAX_ROWS = 100_000
export const MAX_TABLES = 100
const MAX_NAME = 60

/** A table as found: its first row holds the names of the columns. */
export interface Found {
  readonly cells: readonly (readonly string[])[]
  /** Why its rows cannot be relied on: "a quote that opens in row 2 is not closed". */
  readonly fault?: string | undefined
}

export interface Table {
  /** From 1, as the model names it. */
  readonly number: number
  /** Names in the order of the columns; equal ones are numbered. */
  readonly names: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly fault: string | undefined
  /** The page where it stands; none: the task. */
  readonly page: RunPage | undefined
}

export function tableOf({ cells, fault }: Found, number: number, page?: RunPage): Table {
  const [header = [], ...rows] = cells
  const tooMany =
    (header.length > MAX_COLUMNS && `it has more than ${MAX_COLUMNS} columns`) ||
    (rows.length > MAX_ROWS && `it has more than ${MAX_ROWS} rows`)
  return { number, names: namesOf(header), rows, fault: fault ?? (tooMany || undefined), page }
}

/** Text as names and values are compared: without regard to case and white space. */
export function plain(text: string): string {
  return text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase()
}

/** Text of a table on one line, cut to a length. */
export function shown(text: string, length = MAX_NAME): string {
  return truncate(visible(text.slice(0, 4 * length)), length)
}

function namesOf(header: readonly string[]): string[] {
  const names = header.slice(0, MAX_COLUMNS).map((cell, at) => shown(cell) || `column ${at + 1}`)
  const count = new Map<string, number>()
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1)
  const seen = new Map<string, number>()
  return names.map(name => {
    if (count.get(name) === 1) return name
    seen.set(name, (seen.get(name) ?? 0) + 1)
    return `${name} (${seen.get(name)})`
  })
}

/** The place of a column by its name: exactly, else without regard to case and white space; -1 if none or several have it. */
export function placeOf({ names }: Table, name: string): number {
  const exact = names.indexOf(name)
  if (exact >= 0) return exact
  const alike = names.flatMap((one, at) => (plain(one) === plain(name) ? [at] : []))
  return alike.length === 1 ? alike[0]! : -1
}
