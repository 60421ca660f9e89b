import { parentPort, workerData } from 'node:worker_threads'
import { prepareModules } from './hooks.ts'
import type { Summary } from './taken-over.ts'

/** Some of the seeds of a simulation. */
export interface Share {
  readonly from: number
  readonly to: number
  /** Between two seeds. */
  readonly step: number
  readonly planted: string | undefined
}

/** What came of a seed. */
export interface Result {
  readonly seed: number
  readonly calls: number
  readonly runs: number
  readonly summary: Summary
  readonly problems: readonly string[]
}

const { from, to, step, planted } = workerData as Share
prepareModules(planted)
const { loadTokenizer } = await import('@agent-task-service/engine/tokens')
// A run that is cut off needs it; it must not be loaded by a clock that stands still.
await loadTokenizer()
const { simulate } = await import('./simulate.ts')
for (let seed = from; seed < to; seed += step) {
  const { schedule: _, ...result } = await simulate(seed)
  parentPort?.postMessage({ seed, ...result } satisfies Result)
}
