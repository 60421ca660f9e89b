import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'

export type Listening = Awaited<ReturnType<typeof listen>>

/** Listening on the address failed; the message says what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/**
 * @returns the platform's URL on this machine, and a function to stop it
 * @throws {ListenError}
 */
export async function listen(app: Hono, address: { port: number; hostname: string }) {
  let isClosing = false
  const fetch = async (request: Request) => {
    const response = isClosing
      ? Response.json({ error: 'the platform is stopping' }, { status: 503 })
      : await app.fetch(request)
    // Otherwise a polling dashboard would keep its connection open, and the platform running.
    if (isClosing) response.headers.set('Connection', 'close')
    return response
  }
  const server = createAdaptorServer({ fetch }) as Server
  let underWay = 0
  // Node's close() waits for idle connections, and browsers keep some open.
  const closeIfIdle = () => isClosing && underWay === 0 && server.closeAllConnections()
  server.on('request', (_request, response) => {
    underWay += 1
    response.once('close', () => {
      underWay -= 1
      closeIfIdle()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.hostname, resolve)
  }).catch(error => {
    const { code } = error as NodeJS.ErrnoException
    throw new ListenError(
      `cannot listen on ${address.hostname}, port ${address.port} (${code}): choose another with --port or --host`,
    )
  })
  const { port } = server.address() as AddressInfo
  /** Accepts no more requests; resolves when those in progress have their replies. */
  const close = async () => {
    isClosing = true
    const closed = new Promise(resolve => server.close(resolve))
    closeIfIdle()
    await closed
  }
  return { url: `http://${reachable(address.hostname)}:${port}`, close }
}

/** Host names that reach a platform listening there. */
export function hostNames(listened: string): string[] {
  if (!isWildcard(listened)) return [inUrl(listened)]
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => inUrl(address))]
}

function reachable(listened: string): string {
  return isWildcard(listened) ? '127.0.0.1' : inUrl(listened)
}

/** Whether only this machine can reach a platform listening there. */
export function isLoopback(listened: string): boolean {
  return ['localhost', '127.0.0.1', '::1'].includes(listened)
}

function isWildcard(listened: string): boolean {
  return listened === '0.0.0.0' || listened === '::'
}

function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
