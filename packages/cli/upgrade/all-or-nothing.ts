import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/** From a terminal they reach npm too, which ends then. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Changes files; if that throws, they are as before. It goes on at a signal, so that it is never half done. */
export function allOrNothing(paths: readonly string[], change: () => void): void {
  const before = paths.map(path => [path, existsSync(path) ? readFileSync(path) : undefined] as const)
  const goOn = () => {}
  for (const signal of SIGNALS) process.on(signal, goOn)
  try {
    change()
  } catch (error) {
    for (const [path, content] of before)
      if (content === undefined) rmSync(path, { force: true })
      else writeFileSync(path, content)
    throw error
  } finally {
    for (const signal of SIGNALS) process.off(signal, goOn)
  }
}
