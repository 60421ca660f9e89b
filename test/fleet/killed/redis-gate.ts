import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface RedisGate {
  readonly port: number
  /** Called before each command about a task passes, and before what follows it comes back. */
  onMoment: (moment: string) => Promise<void>
}

/** A way to a Redis on which each command about a task waits to be let through. */
export async function startRedisGate(target: number): Promise<RedisGate> {
  const sockets = new Set<Socket>()
  const gate: RedisGate = { port: 0, onMoment: async () => undefined }
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    let isAboutTask = false
    pipe(client, upstream, sockets, async data => {
      // A task's key holds its id; probes have none.
      isAboutTask = TASK.test(data.toString('latin1'))
      if (isAboutTask) await gate.onMoment('Redis asked')
    })
    pipe(upstream, client, sockets, async () => {
      if (isAboutTask) await gate.onMoment('Redis answers')
      isAboutTask = false
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return Object.assign(gate, { port: (server.address() as AddressInfo).port })
}

const TASK = /agent-task:[^\r]*:[\da-f]{8}-[\da-f-]{27}:/

/** Passes data on, in order, each piece once `wait` has resolved. */
function pipe(from: Socket, to: Socket, all: Set<Socket>, wait: (data: Buffer) => Promise<void>): void {
  let passed = Promise.resolve()
  all.add(from)
  from.on('error', () => undefined)
  from.on('data', data => {
    passed = passed.then(async () => {
      await wait(data)
      to.write(data)
    })
  })
  from.once('close', () => {
    all.delete(from)
    to.destroy()
  })
}
