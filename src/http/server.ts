import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createAdaptorServer, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import type { Service } from '../service.ts'

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
  const fetch = async (request: Request, env: HttpBindings | Http2Bindings) => {
    const response = await service.app.fetch(request, env)
    const { incoming } = env as HttpBindings
    if (service.lifecycle.draining && !connections.isPipelined(incoming)) {
      response.headers.set('Connection', 'close')
    }
    return response
  }
  const server = createAdaptorServer({ fetch, serverOptions }) as Server
  const connections = new Connections(server)
  server.timeout = silenceTimeout
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.hostname, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const { port } = server.address() as AddressInfo
  return { port, drain: graceMs => drain(server, connections, service, graceMs) }
}

async function drain(
  server: Server,
  connections: Connections,
  { lifecycle, tasks }: Service,
  graceMs: number,
): Promise<void> {
  lifecycle.draining = true
  const lastReplies = setTimeout(() => tasks.endAll(), Math.max(graceMs - LAST_REPLIES_MS, graceMs / 2))
  const overtime = setTimeout(() => server.closeAllConnections(), graceMs)
  await tasks.idle()
  // A request that has already arrived on an idle connection is read before that connection is closed.
  for (let turn = 0; turn < 3; turn += 1) await new Promise(resolve => setImmediate(resolve))
  const lastRequests = setTimeout(() => connections.destroyStrays(), LAST_REQUESTS_MS)
  await new Promise<void>(resolve => {
    server.close(() => resolve())
  })
  clearTimeout(lastRequests)
  clearTimeout(lastReplies)
  clearTimeout(overtime)
}

/** Connections and the requests on each that wait for their reply. */
class Connections {
  readonly #requests = new Map<Socket, Set<IncomingMessage>>()

  constructor(server: Server) {
    server.on('connection', socket => {
      this.#requests.set(socket, new Set())
      socket.once('close', () => this.#requests.delete(socket))
    })
    server.prependListener('request', (request, response) => {
      const requests = this.#requests.get(request.socket)
      requests?.add(request)
      response.once('close', () => requests?.delete(request))
    })
  }

  /** Whether a further request, sent before the reply to the first, waits as well: closing would lose its reply. */
  isPipelined({ socket }: IncomingMessage): boolean {
    return (this.#requests.get(socket)?.size ?? 0) > 1
  }

  /** Closes those on which no reply is due: `server.close()` leaves what has not asked anything as a whole. */
  destroyStrays(): void {
    for (const [socket, requests] of this.#requests) {
      if (![...requests].some(({ complete }) => complete)) socket.destroy()
    }
  }
}
