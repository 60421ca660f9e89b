import type { LogSource } from '../../agents/log-sources.ts'

/** How long to wait for a run's last log lines: loggers write after the reply, and some in batches. */
const LATE_MS = 1_000
/** Longest log stored for one run, in characters. */
const MAX_LENGTH = 200_000

export type LogLines = ReturnType<typeof logLines>

/**
 * Splits one agent's log by runs.
 *
 * @param fromNow returns what is logged from now on
 */
export function logLines(fromNow: () => LogSource) {
  const underWay = new Set<{ isAlone: boolean }>()
  const waiting = new Set<() => Promise<void>>()
  return {
    /** Call at the start of a run; call the result at its end, with a function that receives its lines. */
    begin(): (taskId: string, take: (lines: readonly string[]) => void) => void {
      const run = { isAlone: underWay.size === 0 }
      for (const other of underWay) other.isAlone = false
      underWay.add(run)
      const log = fromNow()
      return (taskId, take) => {
        const read = async () => {
          clearTimeout(timer)
          if (!waiting.delete(read)) return
          const text = await log
            .read()
            .catch((error: Error) => `${log.name} cannot be read: ${error.message}`)
          underWay.delete(run)
          const lines = text.slice(0, MAX_LENGTH).split('\n').filter(Boolean)
          // If several runs overlap, each gets the lines that name its task.
          take(run.isAlone ? lines : lines.filter(line => line.includes(taskId)))
        }
        waiting.add(read)
        const timer = setTimeout(() => void read(), LATE_MS)
      }
    },

    /** Stops waiting and reads immediately. */
    async stop(): Promise<void> {
      await Promise.all([...waiting].map(read => read()))
    },
  }
}
