import { connect, type Socket } from 'node:net'

interface RawSocket {
  readonly socket: Socket
  /** Everything received so far. */
  readonly received: () => string
  /** Resolves with everything received, once the connection closes. */
  readonly closed: Promise<string>
}

/** A connection that sends exactly the bytes a test gives it. */
export function rawSocket(port: number, ...parts: readonly (string | Buffer)[]): RawSocket {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  const received = () => Buffer.concat(chunks).toString('latin1')
  socket.on('data', chunk => chunks.push(chunk))
  // A reset also closes the connection.
  socket.on('error', () => undefined)
  const closed = new Promise<string>(resolve => socket.on('close', () => resolve(received())))
  for (const part of parts) socket.write(part)
  return { socket, received, closed }
}

/** The head of a task, with more headers; its body follows. */
export const taskHead = (...headers: readonly string[]): string =>
  ['POST /run HTTP/1.1', 'Host: agent', 'Content-Type: application/json', ...headers, '', ''].join('\r\n')

/** Status and body of each response received. */
export function responsesIn(received: string): { status: number; body: string }[] {
  const responses = []
  for (let rest = received; rest !== ''; ) {
    const head = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/.exec(rest)
    if (!head) throw new Error(`expected a response, got ${JSON.stringify(rest.slice(0, 80))}`)
    const { body, length } = bodyOf(head[0], rest.slice(head[0].length))
    responses.push({ status: Number(head[1]), body: Buffer.from(body, 'latin1').toString() })
    rest = rest.slice(head[0].length + length)
  }
  return responses
}

/** The body after a head, with its length on the wire in bytes. */
function bodyOf(head: string, rest: string): { body: string; length: number } {
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) {
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    return { body: rest.slice(0, length), length }
  }
  let body = ''
  for (let at = 0; ; ) {
    const size = Number.parseInt(rest.slice(at), 16)
    const start = rest.indexOf('\r\n', at) + 2
    if (Number.isNaN(size))
      throw new Error(`expected a chunk, got ${JSON.stringify(rest.slice(at, at + 80))}`)
    body += rest.slice(start, start + size)
    at = start + size + 2
    if (size === 0) return { body, length: at }
  }
}
