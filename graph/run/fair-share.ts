/** Runs that go on in one turn of the event loop: a few milliseconds of work, as long as a health check waits. */
const RUNS_A_TURN = 4

const underway: (() => void)[] = []
const fresh: (() => void)[] = []
let places = RUNS_A_TURN

/**
 * Waits for this run's turn to compute. A few runs go on in each turn of the event loop, so that hundreds of requests or
 * answers which arrive together do not keep sockets and health checks waiting. Runs under way go before fresh ones, each
 * in the order they came: work that was begun is finished first. A run that is alone does not wait.
 */
export function fairShare(stage: 'underway' | 'fresh' = 'underway'): Promise<void> {
  if (places > 0) {
    takePlace()
    return Promise.resolve()
  }
  return new Promise(resolve => {
    const queue = stage === 'fresh' ? fresh : underway
    queue.push(resolve)
  })
}

function takePlace(): void {
  if (places === RUNS_A_TURN) setImmediate(nextTurn)
  places -= 1
}

/** The places of the next turn are for the runs that have waited longest. */
function nextTurn(): void {
  places = RUNS_A_TURN
  while (places > 0) {
    const next = underway.shift() ?? fresh.shift()
    if (!next) return
    takePlace()
    next()
  }
}
