import type { Trial } from './evaluate.ts'

/** Where progress is told: a terminal, or anything else. */
export interface ProgressStream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Milliseconds between two lines where there is no terminal. */
const BETWEEN_LINES_MS = 15_000
const WIDTH = 80
const CLEAR_LINE = '\r\u001b[K'

/**
 * Says how far an evaluation is and what failed so far: on one line of a terminal, elsewhere now and then.
 *
 * @param total runs in all
 * @param nameOf what a trial is called
 * @param now milliseconds on a clock that never steps back
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
    /** Leaves a terminal's line to the report. */
    end(): void {
      if (stream.isTTY) stream.write(CLEAR_LINE)
    },
  }
}
