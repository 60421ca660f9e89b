/**
 * SIGTERM and SIGINT from the first moment: as process 1 a signal that nobody has asked for is lost, and the runtime
 * would wait out its whole grace. To be loaded before everything else, since that is most of what start-up takes.
 */
type End = (signal: NodeJS.Signals) => void

// Nothing has been taken in yet.
let end: End = () => process.exit(0)

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end(signal))

/** What a signal does from now on. */
export function onEndSignal(next: End): void {
  end = next
}
