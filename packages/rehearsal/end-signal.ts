/** A second signal within this time, in milliseconds, is the first one again: the terminal and npm each send it. */
const SAME_SIGNAL_MS = 1_000

/**
 * Calls `end` at the first SIGINT, SIGTERM or SIGHUP, for a graceful end. At one that comes a second later or more the process exits
 * with code 1.
 */
export function onEndSignal(end: () => void): void {
  let endingSince: number | undefined
  const handle = () => {
    if (endingSince === undefined) {
      endingSince = performance.now()
      end()
    } else if (performance.now() - endingSince > SAME_SIGNAL_MS) process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, handle)
}
