import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Listening {
  /** `http://127.0.0.1:<port>/mcp` */
  readonly url: string
  /** Cuts all connections, and so every stream; new ones are accepted. */
  cut(): void
  /** Cuts all connections, and new ones at once. The port stays taken, so nobody else gets it. */
  goAway(): void
  comeBack(): void
}

/** Has a server listen on any port of 127.0.0.1 until the test ends. */
export async function listening(server: Server): Promise<Listening> {
  const open = new Set<Socket>()
  let isAway = false
  server.prependListener('connection', socket => {
    if (isAway) return void socket.destroy()
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  onTestFinished(() => {
    server.close()
    cut()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    cut,
    goAway() {
      isAway = true
      cut()
    },
    comeBack() {
      isAway = false
    },
  }
}
