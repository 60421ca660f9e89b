import type { LogSource } from '../../agents/log-sources.ts'
import type { Clock } from '../../clock.ts'

/** How long after a run its last lines are waited for: loggers write when the reply is out, and some in batches. */
const LATE_MS = 1_000
/** Most of a run's lines that is kept, in characters. */
const MAX_LENGTH = 200_000

export type LogLines = ReturnType<typeof logLines>

/**
 * One agent's log, by its runs.
 *
 * @param fromNow what is logged from now on
 */
export function logLines(fromNow: () => LogSource, clock: Clock) {
  const underWay = new Set<{ isAlone: boolean }>()
  const waiting = new Set<() => Promise<void>>()
  return {
    /** Begins with a run; the result is to be called at its end, with what takes its lines. */
    begin(): (taskId: string, take: (lines: readonly string[]) => void) => void {
      const run = { isAlone: underWay.size === 0 }
      for (const other of underWay) other.isAlone = false
      underWay.add(run)
      const log = fromNow()
      return (taskId, take) => {
        const read = async () => {
          callOff()
          if (!waiting.delete(read)) return
          const text = await log
            .read()
            .catch((error: Error) => `${log.name} cannot be read: ${error.message}`)
          underWay.delete(run)
          const lines = text.slice(0, MAX_LENGTH).split('\n').filter(Boolean)
          // Of several runs at once, each has the lines that name its task.
          take(run.isAlone ? lines : lines.filter(line => line.includes(taskId)))
        }
        waiting.add(read)
        const callOff = clock.after(LATE_MS, () => void read())
      }
    },

    /** Reads at once what is waited for. */
    async stop(): Promise<void> {
      await Promise.all([...waiting].map(read => read()))
    },
  }
}
