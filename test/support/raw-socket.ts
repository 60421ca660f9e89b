import { connect, type Socket } from 'node:net'

export interface RawSocket {
  readonly socket: Socket
  /** Everything received so far. */
  readonly received: () => string
  /** Resolves with everything received, once the connection is closed. */
  readonly closed: Promise<string>
}

/** A connection on which a test says exactly what it wants. */
export function rawSocket(port: number, ...parts: readonly (string | Buffer)[]): RawSocket {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  const received = () => Buffer.concat(chunks).toString('latin1')
  socket.on('data', chunk => chunks.push(chunk))
  // A reset is one way to be closed.
  socket.on('error', () => undefined)
  const closed = new Promise<string>(resolve => socket.on('close', () => resolve(received())))
  for (const part of parts) socket.write(part)
  return { socket, received, closed }
}

/** Status code and body of each response in what was received; bodies by their Content-Length. */
export function responsesIn(received: string): { status: number; body: string }[] {
  const responses = []
  for (let rest = received; rest !== ''; ) {
    const head = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/.exec(rest)
    if (!head) throw new Error(`expected a response, got ${JSON.stringify(rest.slice(0, 80))}`)
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head[0])?.[1] ?? 0)
    const body = rest.slice(head[0].length, head[0].length + length)
    responses.push({ status: Number(head[1]), body: Buffer.from(body, 'latin1').toString() })
    rest = rest.slice(head[0].length + length)
  }
  return responses
}
