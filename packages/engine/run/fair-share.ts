const queues = { underway: [] as (() => void)[], fresh: [] as (() => void)[] }
/** Whether a run has taken this turn of the event loop. */
let isTaken = false

/**
 * Waits for this run's turn to compute. One run proceeds per turn of the event loop, so that hundreds of requests or
 * answers arriving together do not keep sockets and health checks waiting. Runs in progress go before new ones, each
 * group in order of arrival. A run on its own does not wait.
 */
export function fairShare(stage: 'underway' | 'fresh' = 'underway'): Promise<void> {
  if (isTaken) return new Promise(resolve => queues[stage].push(resolve))
  take()
  return Promise.resolve()
}

/** Takes this turn of the event loop; the next one goes to the run that has waited longest. */
function take(): void {
  isTaken = true
  setImmediate(() => {
    const next = queues.underway.shift() ?? queues.fresh.shift()
    isTaken = false
    if (!next) return
    take()
    next()
  })
}
