/** The tables of variables in docs/configuration.md and docs/tracing.md, from their schemas. As a script it updates both. */
import type { z } from 'zod'
import { environment } from '../src/config.ts'
import { telemetryVariables } from '../src/telemetry/settings.ts'
import { replaceRegion } from './region.ts'

/** Longer defaults (a whole prompt) are left to the description. */
const LONGEST_DEFAULT = 60

/** The table in Markdown, with a row for each variable in the order of the schema. */
export function configTable({ shape }: z.ZodObject = environment): string {
  const rows = Object.entries(shape).map(([name, schema]) =>
    row(`\`${name}\``, showDefault(schema.parse(undefined)), schema.description ?? ''),
  )
  return [row('Name', 'Default', 'Meaning'), row('---', '---', '---'), ...rows].join('\n')
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function showDefault(value: unknown): string {
  const text = value === undefined ? '' : String(value)
  return text === '' || text.length > LONGEST_DEFAULT ? '' : `\`${text}\``
}

if (import.meta.main) {
  replaceRegion('configuration.md', 'configuration', configTable())
  replaceRegion('tracing.md', 'configuration', configTable(telemetryVariables))
}
