/**
 * Compares this service with others that do the same work, in turn, and writes docs/performance.md. With `--short` it takes
 * about a minute and prints to standard output, to compare before and after a change.
 */
import { parseArgs } from 'node:util'
import { Arena } from './arena.ts'
import { measureBurst } from './measures/burst.ts'
import { measureMemory } from './measures/memory.ts'
import { measureRunCost } from './measures/run-cost.ts'
import { measureStart } from './measures/start.ts'
import { CONTESTANTS, figures, writeReport } from './report.ts'

const { short } = parseArgs({ options: { short: { type: 'boolean', default: false } } }).values
const startedAt = performance.now()
await using arena = await Arena.create(() => CONTESTANTS)

async function measured<Value>(what: string, value: Promise<Value>): Promise<Value> {
  const result = await value
  process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${what}\n`)
  return result
}

const length = short
  ? { processes: 1, batches: 6, runs: 40, warmUp: 300 }
  : { processes: 3, batches: 6, runs: 60, warmUp: 1000 }
const basics = {
  runCost: await measured('a run', measureRunCost(arena, length)),
  burst: await measured('500 at once', measureBurst(arena, { runs: 500, rounds: short ? 1 : 3 })),
  start: await measured('start', measureStart(arena, short ? 3 : 7)),
  memory: await measured('memory', measureMemory(arena, short ? [0, 256] : [0, 64, 128, 256, 512])),
}
if (short) process.stdout.write(`${figures(basics)}\n`)
else writeReport(basics)
