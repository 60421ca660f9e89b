import { truncate } from '@agent-task-service/wire/untrusted'
import { visible } from '../web-search/passages.ts'

const MAX_NAME = 60
const MOST_ROWS = 5

/** Text as names and values are compared: without regard to case and white space. */
export function plain(text: string): string {
  return text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase()
}

/** Text of a table on one line, cut to a length. */
export function shown(text: string, length = MAX_NAME): string {
  return truncate(visible(text.slice(0, 4 * length)), length)
}

/** "row 3", "rows 1, 2, 3, 4, 5, ...". */
export function rowsText(rows: readonly number[]): string {
  const some = rows.slice(0, MOST_ROWS).map(row => row + 1)
  return `${rows.length === 1 ? 'row' : 'rows'} ${some.join(', ')}${rows.length > MOST_ROWS ? ', ...' : ''}`
}
