import { writeSync } from 'node:fs'

/** A figure that was measured, on standard output among the results. */
export function report(line: string): void {
  writeSync(1, `  ▸ ${line}\n`)
}
