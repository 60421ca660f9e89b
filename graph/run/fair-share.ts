const underway: (() => void)[] = []
const fresh: (() => void)[] = []
/** Whether a run has taken this turn of the event loop. */
let isTaken = false

/**
 * Waits for this run's turn to compute. One run goes on in each turn of the event loop, so that hundreds of requests
 * or answers which arrive together do not keep sockets and health checks waiting. Runs under way go before fresh ones,
 * each in the order they came: work that was begun is finished first. A run that is alone does not wait.
 */
export function fairShare(stage: 'underway' | 'fresh' = 'underway'): Promise<void> {
  if (!isTaken) {
    take()
    return Promise.resolve()
  }
  return new Promise(resolve => {
    const queue = stage === 'fresh' ? fresh : underway
    queue.push(resolve)
  })
}

/** Takes this turn of the event loop; the next one is for the run that has waited longest. */
function take(): void {
  isTaken = true
  setImmediate(() => {
    const next = underway.shift() ?? fresh.shift()
    isTaken = false
    if (!next) return
    take()
    next()
  })
}
