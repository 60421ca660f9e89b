/**
 * Handles SIGTERM and SIGINT from the first moment: process 1 loses signals without a handler, and the container runtime
 * would wait out its whole grace period. Import it first, since loading the rest takes most of the start-up time.
 */
type End = (signal: NodeJS.Signals) => void

// No task has been accepted yet.
let end: End = () => process.exit(0)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(signal))

/** Replaces what a signal does. */
export function onEndSignal(next: End): void {
  end = next
}
