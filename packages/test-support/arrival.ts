import { subscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

const clients = new Set<Socket>()
subscribe('net.client.socket', message => {
  const { socket } = message as { readonly socket: Socket }
  clients.add(socket)
  socket.once('close', () => clients.delete(socket))
})

/** What a client in this process has got of a response. */
export interface Arrival {
  /** Waits until all that was written has arrived, or the client's connection has closed. */
  all(): Promise<void>
  /** Resolves when the client's connection has closed. */
  readonly closed: Promise<void>
}

/** Of a response whose connection is open. It needs no time but that of sockets, so it works beside `fakeTime()`. */
export function arrivalOf({ socket: server }: ServerResponse): Arrival {
  const client = [...clients].find(({ localPort }) => localPort === server?.remotePort)
  if (!server || !client) throw new Error('expected a response to a client in this process')
  const closed = new Promise<void>(resolve => client.once('close', () => resolve()))
  const more = () => new Promise<void>(resolve => client.once('data', () => resolve()))
  return {
    all: async () => {
      while (client.bytesRead < server.bytesWritten && !client.destroyed) await Promise.race([more(), closed])
    },
    closed,
  }
}
