/** The configuration table of README.md, from the schema in `src/config.ts`. Run as a script it brings the README up to date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { environment } from '../src/config.ts'

const START = '<!-- configuration -->'
const END = '<!-- /configuration -->'
/** A longer default (a whole prompt) is told by the description. */
const LONGEST_DEFAULT = 60

/** The table in Markdown, a row for each variable in the order of the schema. */
export function configTable(): string {
  const rows = Object.entries(environment.shape).map(([name, schema]) =>
    row(`\`${name}\``, showDefault(schema.parse(undefined)), schema.description ?? ''),
  )
  return [row('Name', 'Default', 'Meaning'), row('---', '---', '---'), ...rows].join('\n')
}

/**
 * A text with the table between its two marks.
 *
 * @throws {Error} where the marks are missing
 */
export function withConfigTable(text: string): string {
  const start = text.indexOf(START)
  const end = text.indexOf(END)
  if (start < 0 || end < start) throw new Error(`expected ${START} and ${END} in the text`)
  return `${text.slice(0, start + START.length)}\n${configTable()}\n${text.slice(end)}`
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function showDefault(value: unknown): string {
  const text = value === undefined ? '' : String(value)
  return text === '' || text.length > LONGEST_DEFAULT ? '' : `\`${text}\``
}

if (import.meta.main) {
  const file = new URL('../README.md', import.meta.url)
  writeFileSync(file, withConfigTable(readFileSync(file, 'utf8')))
}
