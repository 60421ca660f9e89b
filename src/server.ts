import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Service } from './service.ts'

/**
 * Bounds on slow and silent peers, in milliseconds. A caller has 10 s for its headers and 30 s for its whole request;
 * a connection on which nothing moves for longer than a run can take is dropped.
 */
const PEER_LIMITS: PeerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  // Longer than the orchestrator's 30 s between health checks, so that these share a connection.
  keepAliveTimeout: 65_000,
  silenceTimeout: 130_000,
}

/** How long a peer may take, in milliseconds; see Node's `http.createServer`. */
export interface PeerLimits {
  readonly headersTimeout: number
  readonly requestTimeout: number
  readonly connectionsCheckingInterval: number
  readonly keepAliveTimeout: number
  /** Longest time without a byte in either direction. */
  readonly silenceTimeout: number
}

/** How long before the end of the grace period the runs still in flight are ended, in milliseconds. */
const LAST_REPLIES_MS = 1_000

/** How long a request may still take to arrive once no run is left, in milliseconds. */
const LAST_REQUESTS_MS = 1_000

export interface Listening {
  readonly port: number
  /**
   * Takes no new task, waits for the runs in flight and ends what is left shortly before the grace period is over;
   * then closes the connections. Resolves when the last one is closed.
   */
  drain(graceMs: number): Promise<void>
}

/**
 * Serves on a socket.
 *
 * @param peers bounds on slow and silent peers, where a test cannot wait for the service's own
 * @throws the server's error, such as EADDRINUSE
 */
export async function listen(
  service: Service,
  address: { readonly port: number; readonly hostname: string },
  peers: PeerLimits = PEER_LIMITS,
): Promise<Listening> {
  const { silenceTimeout, ...limits } = peers
  const serverOptions = { ...limits, keepAlive: true }
  const server = createAdaptorServer({ fetch: service.app.fetch, serverOptions }) as Server
  server.timeout = silenceTimeout
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.hostname, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo
  const strays = strayConnections(server)
  return { port, drain: graceMs => drain(server, strays, service, graceMs) }
}

async function drain(
  server: Server,
  strays: ReturnType<typeof strayConnections>,
  { lifecycle, tasks }: Service,
  graceMs: number,
): Promise<void> {
  lifecycle.draining = true
  const lastReplies = setTimeout(() => tasks.endAll(), Math.max(graceMs - LAST_REPLIES_MS, graceMs / 2))
  const overtime = setTimeout(() => server.closeAllConnections(), graceMs)
  await tasks.idle()
  // A request that has already arrived on an idle connection is read before that connection is closed.
  for (let turn = 0; turn < 3; turn += 1) await new Promise(resolve => setImmediate(resolve))
  const lastRequests = setTimeout(() => strays.destroy(), LAST_REQUESTS_MS)
  await new Promise<void>(resolve => {
    server.close(() => resolve())
  })
  clearTimeout(lastRequests)
  clearTimeout(lastReplies)
  clearTimeout(overtime)
}

/** Connections on which no reply is due: `server.close()` leaves those whose request has not arrived as a whole. */
function strayConnections(server: Server): { destroy(): void } {
  const connections = new Set<Socket>()
  const requests = new Set<IncomingMessage>()
  server.on('connection', socket => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  server.prependListener('request', (request, response) => {
    requests.add(request)
    response.once('close', () => requests.delete(request))
  })
  return {
    destroy() {
      const due = new Set([...requests].filter(({ complete }) => complete).map(({ socket }) => socket))
      for (const connection of connections) if (!due.has(connection)) connection.destroy()
    },
  }
}
