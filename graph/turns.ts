const underway: (() => void)[] = []
const fresh: (() => void)[] = []
let isScheduled = false

/**
 * Waits for this run's turn to compute. One run goes on between two turns of the event loop, so that hundreds of
 * requests or answers which arrive together do not keep sockets and health checks waiting. Runs under way go before
 * fresh ones, each in the order they came: work that was begun is finished first.
 */
export function turn(stage: 'underway' | 'fresh' = 'underway'): Promise<void> {
  return new Promise(resolve => {
    const queue = stage === 'fresh' ? fresh : underway
    queue.push(resolve)
    if (!isScheduled) schedule()
  })
}

function schedule(): void {
  isScheduled = true
  setImmediate(() => {
    const next = underway.shift() ?? fresh.shift()
    isScheduled = underway.length + fresh.length > 0
    if (isScheduled) schedule()
    next?.()
  })
}
