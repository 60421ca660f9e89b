import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { connectionArrived } from '../run/fair-share.ts'
import type { App } from './app.ts'
import { Connections } from './connections.ts'
import { drain } from './drain.ts'

/**
 * Bounds on slow and silent peers, in milliseconds. A caller has 10 s to send its headers and 30 s for the whole
 * request. A connection that stays silent for longer than a run can take is dropped.
 */
const PEER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  // Longer than the orchestrator's 30 s between health checks, so that they reuse one connection.
  keepAliveTimeout: 65_000,
  /** Longest time without a byte in either direction. */
  silenceTimeout: 130_000,
}

/** How long a peer may take, in milliseconds; see Node's `http.createServer`. */
export type PeerLimits = Readonly<typeof PEER_LIMITS>

/** Where to listen. */
export interface Address {
  /** 0: any free one. */
  readonly port: number
  /** Absent: every address, of IPv6 and IPv4; of IPv4 alone where the machine has no IPv6. */
  readonly hostname?: string
  /** How many connections may have a request in progress; absent: any number. Beyond, tasks get 503. */
  readonly maxConnections?: number | undefined
}

export interface Listening {
  readonly address: string
  readonly port: number
  /** Ends the service within `graceMs`, in milliseconds; `drain.ts` says in which order. */
  drain(graceMs: number): Promise<void>
}

/**
 * Serves on a socket.
 *
 * @param peers bounds on slow and silent peers; tests pass shorter ones
 * @throws the server's error, such as EADDRINUSE
 *
 * @example
 * const { port, drain } = await listen(service, { port: 0, hostname: '127.0.0.1' })
 * await drain(1_000)
 */
export async function listen(
  service: App,
  { port, hostname, maxConnections = Number.POSITIVE_INFINITY }: Address,
  peers: PeerLimits = PEER_LIMITS,
): Promise<Listening> {
  const { silenceTimeout, ...limits } = peers
  // Two different hosts joined are none, which gets 400. Otherwise Node would silently take the first.
  const serverOptions = { ...limits, keepAlive: true, joinDuplicateHeaders: true }
  const fetch = async (request: Request, env: HttpBindings | Http2Bindings) => {
    const bindings = connections.areFull ? { ...env, isFull: true } : env
    const response = await service.app.fetch(request, bindings)
    const connection = connections.of((env as HttpBindings).incoming)
    const isUnauthorized = connection?.isUnauthorized(response.status)
    const isLast = service.lifecycle.draining || connections.areMany || isUnauthorized
    if (isLast && !connection?.isPipelined) response.headers.set('Connection', 'close')
    return response
  }
  // For HTTP/1.0, which needs no Host: health checks of balancers send none. Node refuses any other request without one.
  const server = createAdaptorServer({ fetch, hostname: 'localhost', serverOptions }) as Server
  const connections = new Connections(server, maxConnections)
  server.timeout = silenceTimeout
  server.on('connection', connectionArrived)
  server.listen(port, hostname)
  await once(server, 'listening')
  const bound = server.address() as AddressInfo
  return {
    address: bound.address,
    port: bound.port,
    drain: graceMs => drain(server, connections, service, graceMs),
  }
}
