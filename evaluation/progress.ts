import type { Trial } from './evaluate.ts'

/** Where progress is written: a terminal or any other stream. */
export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Milliseconds between two lines if the stream is not a terminal. */
const BETWEEN_LINES_MS = 15_000
const CLEAR_LINE = '\r\u001b[K'

/**
 * Reports how far an evaluation is and what has failed: on one line of a terminal, elsewhere every 15 s.
 *
 * @param total number of runs
 * @param nameOf returns a trial's name
 * @param now monotonic, in milliseconds
 */
export function createProgress(
  stream: ProgressStream,
  total: number,
  nameOf: (trial: Trial) => string,
  now: () => number = () => performance.now(),
) {
  const { isTTY, columns = 80 } = stream
  let done = 0
  let failed = 0
  let failures = ''
  let reportedAt = now()
  return {
    add(trial: Trial): void {
      done += 1
      if (trial.verdict === 'fail') {
        failed += 1
        failures = `, ${failed} failed, the last: ${nameOf(trial)}`
      }
      const line = `${done} of ${total} runs${failures}`
      if (isTTY) stream.write(`${CLEAR_LINE}${line.slice(0, columns - 1)}`)
      if (isTTY || now() - reportedAt < BETWEEN_LINES_MS) return
      reportedAt = now()
      stream.write(`${line}\n`)
    },
    /** Clears the terminal's line for the report. */
    end(): void {
      if (isTTY) stream.write(CLEAR_LINE)
    },
  }
}
