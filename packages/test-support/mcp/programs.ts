import { fileURLToPath } from 'node:url'
import type { Templates } from './templates.ts'

/** A program as `mcp.json` names it. */
interface ProgramSettings {
  readonly command: string
  readonly args: readonly string[]
}

/** The misbehaving server; see program.ts for its options. */
export const program = (...options: string[]) => ownProgram('program.ts', options)

/** The server of the new protocol; see new-program.ts for its options. */
export const newProgram = (...options: string[]) => ownProgram('new-program.ts', options)

/** The server that answers by templates. */
export const templateProgram = (templates: Templates) =>
  ownProgram('template-program.ts', [JSON.stringify(templates)])

function ownProgram(file: string, options: readonly string[]): ProgramSettings {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return { command: process.execPath, args: [path, ...options] }
}
