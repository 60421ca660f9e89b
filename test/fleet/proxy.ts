import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface TestProxy {
  readonly port: number
  /** Drops what the server sends, on current and future connections. */
  isCut: boolean
  /** Delays what the server sends, in milliseconds. */
  latencyMs: number
  /** The server's port. */
  target: number
  /** Closes all connections. */
  reset(): void
}

/** A TCP proxy on 127.0.0.1 that can misbehave; stops with the test. */
export async function startProxy(target: number): Promise<TestProxy> {
  const sockets = new Set<Socket>()
  const reset = () => {
    for (const socket of sockets) socket.destroy()
  }
  const proxy = { port: 0, isCut: false, latencyMs: 0, target, reset }
  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ port: proxy.target, host: '127.0.0.1', noDelay: true })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.on('data', data => upstream.write(data))
    upstream.on('data', data => {
      if (proxy.isCut) return
      if (proxy.latencyMs === 0) client.write(data)
      else setTimeout(() => client.write(data), proxy.latencyMs)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  proxy.port = (server.address() as AddressInfo).port
  onTestFinished(() => {
    server.close()
    reset()
  })
  return proxy
}
