import { writeSync } from 'node:fs'

/** Prints a measured figure to standard output, among the results. */
export function report(line: string): void {
  writeSync(1, `  ▸ ${line}\n`)
}
