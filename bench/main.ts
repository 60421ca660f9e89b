/**
 * Compares this service with a hand-written loop and LangGraph's prebuilt agent, which take turns, and writes
 * docs/performance.md. With `--short` it takes about a minute and prints to standard output, to compare before and after a
 * change.
 */
import { Arena } from './contestants.ts'
import { measureBurst } from './measures/burst.ts'
import { measureCrowds, measureInputs, measureRounds } from './measures/growth.ts'
import { measureMemory } from './measures/memory.ts'
import { measureProfile } from './measures/profile.ts'
import { measureRunCost } from './measures/run-cost.ts'
import { measureStart, measureStudioStart } from './measures/start.ts'
import { figures, writeReport } from './report.ts'

const isShort = process.argv.includes('--short')
const startedAt = performance.now()
await using arena = await Arena.create()

async function measured<Value>(what: string, value: Promise<Value>): Promise<Value> {
  const result = await value
  process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${what}\n`)
  return result
}

const basics = {
  runCost: await measured(
    'a run',
    measureRunCost(
      arena,
      isShort
        ? { processes: 1, batches: 6, runs: 40, warmUp: 300 }
        : { processes: 3, batches: 6, runs: 60, warmUp: 1000 },
    ),
  ),
  burst: await measured('500 at once', measureBurst(arena, { runs: 500, rounds: isShort ? 1 : 3 })),
  start: await measured('start', measureStart(arena, isShort ? 3 : 7)),
  memory: await measured('memory', measureMemory(arena, isShort ? [0, 256] : [0, 64, 128, 256, 512])),
}
if (isShort) process.stdout.write(`${figures(basics)}\n`)
else {
  writeReport({
    ...basics,
    studioStartMs: await measured('start of langgraphjs dev', measureStudioStart()),
    rounds: await measured('rounds', measureRounds(arena, [1, 4, 8, 18])),
    inputs: await measured('inputs', measureInputs(arena, [1_000, 10_000, 100_000, 1_000_000])),
    profile: await measured('profile', measureProfile(arena, 3000)),
    crowds: await measured('crowds', measureCrowds(arena, [10, 100, 500, 1000])),
  })
}
