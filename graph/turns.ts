const waiting: (() => void)[] = []
let isScheduled = false

/**
 * Waits for this run's turn to compute. One run goes on between two turns of the event loop, in the order they came,
 * so that hundreds of answers which arrive together do not keep sockets and health checks waiting.
 */
export function turn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve)
    if (!isScheduled) schedule()
  })
}

function schedule(): void {
  isScheduled = true
  setImmediate(() => {
    const next = waiting.shift()
    isScheduled = waiting.length > 0
    if (isScheduled) schedule()
    next?.()
  })
}
