import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * A port of 127.0.0.1 for a program that must be told one. A connection comes from it as long as the worker lives: so it is
 * given to nobody who asks for any port and it refuses connections, until a program that is told it listens there. On a Mac,
 * which would refuse that program too, the connection ends at once.
 */
export async function heldPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  const accepted = once(server, 'connection')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const from = { host: '127.0.0.1', localAddress: '127.0.0.1', localPort: 0 }
  const connection = connect({ port, ...from }).unref()
  await once(connection, 'connect')
  const [other] = (await accepted) as [Socket]
  other.unref()
  server.close()
  const { localPort } = connection
  if (process.platform === 'darwin') connection.destroy()
  return localPort!
}
