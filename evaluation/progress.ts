import type { Trial } from './evaluate.ts'

/** Where progress is written: a terminal or any other stream. */
export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Milliseconds between two lines if the stream is not a terminal. */
const BETWEEN_LINES_MS = 15_000
const WIDTH = 80
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
  let done = 0
  let failures: string[] = []
  let toldAt = now()
  const line = () => {
    const failed = failures.length > 0 ? `, ${failures.length} failed, the last: ${failures.at(-1)}` : ''
    return `${done} of ${total} runs${failed}`
  }
  return {
    add(trial: Trial): void {
      done += 1
      if (trial.verdict === 'fail') failures = [...failures, nameOf(trial)]
      if (stream.isTTY) {
        stream.write(`${CLEAR_LINE}${line().slice(0, (stream.columns ?? WIDTH) - 1)}`)
      } else if (now() - toldAt >= BETWEEN_LINES_MS) {
        toldAt = now()
        stream.write(`${line()}\n`)
      }
    },
    /** Clears the terminal's line for the report. */
    end(): void {
      if (stream.isTTY) stream.write(CLEAR_LINE)
    },
  }
}
