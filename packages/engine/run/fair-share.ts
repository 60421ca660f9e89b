/** Longest time in one turn of the event loop in which runs proceed one after the other, in milliseconds. */
const MAX_SHARE_MS = 10
/** Longest time in which turns only let connections in, in milliseconds. */
const MAX_ARRIVALS_MS = 20

const queues = { underway: [] as (() => void)[], fresh: [] as (() => void)[] }
/** Whether a run has taken this turn of the event loop. */
let isTaken = false
let hasArrival = false

/**
 * Waits for this run's turn to compute. In each turn of the event loop one run proceeds, and others as long as all else has
 * taken, so that hundreds of requests or answers arriving together do not keep sockets and health checks waiting. Runs in
 * progress go before new ones, each group in order of arrival. A run on its own does not wait.
 */
export function fairShare(stage: 'underway' | 'fresh' = 'underway'): Promise<void> {
  if (isTaken) return new Promise(resolve => queues[stage].push(resolve))
  take()
  return Promise.resolve()
}

/**
 * Tells that a connection has arrived. Node accepts one in each turn, so while they arrive the runs leave the turns to them:
 * behind hundreds of tasks, a health check would wait for as many turns before it is accepted.
 */
export function connectionArrived(): void {
  hasArrival = true
}

/**
 * Takes this turn of the event loop; the next one goes to the runs that have waited longest.
 *
 * @param since when a run proceeded last, in `performance.now()` milliseconds
 */
function take(since = performance.now()): void {
  isTaken = true
  setImmediate(() => {
    const now = performance.now()
    const isLeft = hasArrival && now - since < MAX_ARRIVALS_MS
    hasArrival = false
    if (isLeft) take(since)
    else proceed(now + Math.min(now - since, MAX_SHARE_MS))
  })
}

/** @param until in `performance.now()` milliseconds */
function proceed(until: number): void {
  const next = queues.underway.shift() ?? queues.fresh.shift()
  if (!next) {
    isTaken = false
    return
  }
  next()
  // When the run has done all that it can without waiting.
  queueMicrotask(() => process.nextTick(() => (performance.now() < until ? proceed(until) : take())))
}
