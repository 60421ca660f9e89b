import type { Server } from 'node:http'
import { loadTokenizer } from '../run/count-tokens.ts'
import type { App } from './app.ts'
import type { Connections } from './connections.ts'

/** Runs still in flight are ended this long before the grace period is over, in milliseconds. */
const LAST_REPLIES_MS = 1_000

/** Once no run is left, a request may take this long to arrive, in milliseconds. */
const LAST_REQUESTS_MS = 1_000

/**
 * Refuses new tasks, waits for the runs in flight, ends the rest shortly before the grace period is over, then closes
 * the connections. Resolves when the last one is closed.
 */
export async function drain(
  server: Server,
  connections: Connections,
  { lifecycle, tasks }: App,
  graceMs: number,
): Promise<void> {
  lifecycle.draining = true
  tasks.endWaits()
  // Runs that are cut off need it for their replies, and loading it takes long on a busy machine.
  if (tasks.inFlight > 0) void loadTokenizer()
  const lastReplies = setTimeout(() => tasks.endAll(), Math.max(graceMs - LAST_REPLIES_MS, graceMs / 2))
  const graceTimer = setTimeout(() => server.closeAllConnections(), graceMs)
  await tasks.idle()
  // Lets requests be read that have already arrived before idle connections are closed.
  const until = performance.now() + LAST_REQUESTS_MS
  for (let turn = 0; turn < 3 || (connections.arePipelined && performance.now() < until); turn += 1)
    await new Promise(resolve => setImmediate(resolve))
  const lastRequests = setTimeout(() => connections.destroyStrays(), LAST_REQUESTS_MS)
  await new Promise<void>(resolve => {
    server.close(() => resolve())
  })
  clearTimeout(lastRequests)
  clearTimeout(lastReplies)
  clearTimeout(graceTimer)
}
