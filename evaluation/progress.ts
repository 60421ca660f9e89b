import type { Trial } from './evaluate.ts'

/** Milliseconds between two lines. */
const BETWEEN_LINES_MS = 5_000

/**
 * Reports how far an evaluation is and what has failed, every 5 s.
 *
 * @param write receives each line
 * @param total number of runs
 * @param nameOf returns a trial's name
 * @param now monotonic, in milliseconds
 */
export function createProgress(
  write: (line: string) => void,
  total: number,
  nameOf: (trial: Trial) => string,
  now: () => number = () => performance.now(),
): (trial: Trial) => void {
  let [done, failed, failures, reportedAt] = [0, 0, '', now()]
  return trial => {
    done += 1
    if (trial.verdict === 'fail') {
      failed += 1
      failures = `, ${failed} failed, the last: ${nameOf(trial)}`
    }
    if (now() - reportedAt < BETWEEN_LINES_MS) return
    reportedAt = now()
    write(`${done} of ${total} runs${failures}\n`)
  }
}
