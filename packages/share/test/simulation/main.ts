/**
 * Plays schedules of callers, models, tools, replicas and Redis, each made from a number, and checks what must always hold:
 * `npm run test:faults -- simulation`. A problem is repeated by its number: `npm run test:faults -- simulation --seed 17`.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { plants } from './plants.ts'
import { scheduleOf } from './schedule.ts'
import { type Repeat, repeats, type Summary } from './taken-over.ts'
import type { Result, Share } from './worker.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    seed: { type: 'string' },
    plant: { type: 'string' },
    plants: { type: 'boolean', default: false },
  },
})

/** Plays seeds 1 to `count`, shared among the processors, or the one that is named. */
async function play(count: number, planted: string | undefined): Promise<Result[]> {
  const results: Result[] = []
  const seed = values.seed === undefined ? undefined : Number(values.seed)
  const shares = seed === undefined ? Math.min(availableParallelism(), count) : 1
  const workers = Array.from({ length: shares }, (_, nth) => {
    const share: Share = {
      from: seed ?? nth + 1,
      to: seed === undefined ? count + 1 : seed + 1,
      step: shares,
      planted,
    }
    return startWorker(share)
  })
  for (const worker of workers)
    worker.on('message', (result: Result) => {
      results.push(result)
      // A planted fault is found once.
      if (planted !== undefined && result.problems.length > 0)
        for (const each of workers) void each.terminate()
    })
  await Promise.all(workers.map(ended))
  return results
}

function startWorker(workerData: Share): Worker {
  return new Worker(new URL('worker.ts', import.meta.url), { workerData, env: { NODE_ENV: 'production' } })
}

function ended(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => worker.on('error', reject).on('exit', () => resolve()))
}

function report(results: readonly Result[]): boolean {
  const found = results.filter(({ problems }) => problems.length > 0)
  for (const { seed, problems } of found.toSorted((one, other) => one.seed - other.seed).slice(0, 10))
    process.stdout.write(`seed ${seed}:\n${problems.map(problem => `  ${problem}\n`).join('')}`)
  const sum = (of: (result: Result) => number) => results.reduce((total, result) => total + of(result), 0)
  write(stepsIn(results.map(({ summary }) => summary)))
  const totals = `${results.length} schedules, ${sum(({ calls }) => calls)} calls, ${sum(({ runs }) => runs)} runs`
  write(`${totals}: ${found.length} with a problem`)
  return found.length > 0
}

/** What runs that were given records did not do again, and what they did. */
function stepsIn(summaries: readonly Summary[]): string {
  const sum = (of: (summary: Summary) => number) => summaries.reduce((total, each) => total + of(each), 0)
  const replies = sum(({ replayedReplies }) => replayedReplies)
  const results = sum(({ replayedResults }) => replayedResults)
  const repeated = Object.entries(repeats).map(([name, why]) => {
    return `  ${sum(({ repeated }) => repeated[name as Repeat])}: ${why}`
  })
  return [
    `${sum(({ takenOver }) => takenOver)} runs were given records: ${replies} replies and ${results} results in their conversations are from them`,
    'model calls that an earlier run of the task had made too:',
    ...repeated,
  ].join('\n')
}

function write(text: string): void {
  process.stdout.write(`${text}\n`)
}

const count = Number(values.count)
if (!Number.isSafeInteger(count) || count < 1)
  throw new Error(`expected --count 1 or more, got ${values.count}`)
if (values.plants) {
  for (const name of Object.keys(plants)) {
    const results = await play(count, name)
    const seeds = results.filter(({ problems }) => problems.length > 0).map(({ seed }) => seed)
    process.stdout.write(
      `${seeds.length > 0 ? `found by seed ${Math.min(...seeds)}` : 'NOT FOUND'}: ${name}\n`,
    )
  }
} else {
  if (values.seed !== undefined)
    process.stdout.write(`${JSON.stringify(scheduleOf(Number(values.seed)), null, 2)}\n`)
  process.exitCode = report(await play(count, values.plant)) ? 1 : 0
}
