import { truncate } from '@agent-task-service/wire/untrusted'
import { visible } from '../web-search/passages.ts'

const MAX_NAME = 60

/** Text as names and values are compared: without regard to case and white space. */
export function comparable(text: string): string {
  return text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase()
}

/** Text of a table on one line, cut to a length. */
export function shortLine(text: string, length = MAX_NAME): string {
  return truncate(visible(text.slice(0, 4 * length)), length)
}
