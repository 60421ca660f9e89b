import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface RedisGate {
  readonly port: number
  /** Port of the Redis. */
  target: number
  /** Called before each command about a task passes, and before what follows it comes back. */
  onMoment: (moment: string) => Promise<void>
  /** The commands about tasks that Redis has carried out for their owner, as they were sent. */
  readonly carriedOut: readonly string[]
  /** How many times Redis, or this gate before it, took longer than a run waits for it. */
  late: number
}

/** A run waits 100 ms for Redis; the way to and from this gate takes time too. */
const LATE_MS = 70
/** How often the gate notes the time, in milliseconds. */
const TURN_MS = 5

/** A way to a Redis on which each command about a task waits to be let through. */
export async function startRedisGate(target: number): Promise<RedisGate> {
  const sockets = new Set<Socket>()
  const carriedOut: string[] = []
  const gate: RedisGate = { port: 0, target, onMoment: async () => undefined, carriedOut, late: 0 }
  // What is read now may have come since the turn before this one.
  let [turnBeforeAt, turnAt] = [performance.now(), performance.now()]
  const turns = setInterval(() => {
    turnBeforeAt = turnAt
    turnAt = performance.now()
  }, TURN_MS)
  const server = createServer({ noDelay: true }, client => {
    const upstream = connect({ port: gate.target, host: '127.0.0.1', noDelay: true })
    let isAboutTask = false
    let asked: string[] = []
    let askedAt = 0
    pipe(client, upstream, sockets, async data => {
      const command = data.toString('latin1')
      // A task's key holds its id; probes have none.
      if (!TASK.test(command)) return
      isAboutTask = true
      asked.push(command)
      askedAt = turnBeforeAt
      await gate.onMoment('Redis asked')
    })
    pipe(upstream, client, sockets, async answer => {
      if (answer.includes('ours')) carriedOut.push(...asked)
      asked = []
      if (isAboutTask) await gate.onMoment('Redis answers')
      if (isAboutTask && performance.now() - askedAt > LATE_MS) gate.late += 1
      isAboutTask = false
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    clearInterval(turns)
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
