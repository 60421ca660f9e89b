/** Longest time in one turn of the event loop in which runs proceed one after the other, in milliseconds. */
const MAX_SHARE_MS = 10
/** Longest time in which turns only let connections in, in milliseconds. */
const MAX_ARRIVALS_MS = 20

const queues = { underway: [] as (() => void)[], fresh: [] as (() => void)[] }
/** Whether a run has taken this turn of the event loop. */
let isTaken = false
/** Connections so far. */
let arrivals = 0

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
  arrivals += 1
}

/**
 * Goes on in the next turn of the event loop that is not left to connections: some have arrived since this one, and nothing has waited
 * for long.
 *
 * @param goOn gets the moment from which it has waited, in `performance.now()` milliseconds
 */
function nextTurn(goOn: (since: number) => void, since = performance.now()): void {
  const seen = arrivals
  setImmediate(() => {
    if (arrivals > seen && performance.now() - since < MAX_ARRIVALS_MS) return nextTurn(goOn, since)
    goOn(since)
  })
}

/** Takes this turn of the event loop; the next one goes to the runs that have waited longest. */
function take(): void {
  isTaken = true
  nextTurn(since => {
    const now = performance.now()
    proceed(now + Math.min(now - since, MAX_SHARE_MS))
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

/** Connections that are read on in a turn of the event loop. */
const READ_AT_ONCE = 8

const unread: (() => void)[] = []

/**
 * Reads a connection on that has sent more requests than are answered: a few connections in each turn of the event loop, in
 * order of arrival. They wait for no run, and no run waits for them; to connections that arrive they leave the turns as runs do.
 */
export function readShare(readOn: () => void): void {
  if (unread.push(readOn) === 1) nextTurn(readSome)
}

function readSome(): void {
  for (const readOn of unread.splice(0, READ_AT_ONCE)) readOn()
  if (unread.length > 0) nextTurn(readSome)
}
