import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { errorResponse } from '@agent-task-service/wire/contract'
import { full } from '../replies/errors.ts'
import { readShare } from '../run/fair-share.ts'

/**
 * What is parsed of a connection at once, in bytes: of a request that begins, and of its body, unless more is known to be left.
 * Node would parse all it has read, hundreds of small requests from each connection.
 */
const [SLICE, BODY_SLICE] = [512, 1_024]

/** Of a body, what may wait to be read, in bytes: each may be a piece of its own, which takes two hundred. */
const MAX_UNREAD = 1_024

/**
 * How much of a connection is parsed before others have their turn, in milliseconds, since a body may come in chunks of a byte, and in
 * bytes: what Node reads at once.
 */
const [TURN_MS, TURN_BYTES] = [0.5, 65_536]

/** Of the connections for which there is room, as a share: so many others may stay open between requests. */
const KEPT = 1 / 8

/** Beyond these, so many have their request read before it is refused. */
const MOST_REFUSED = 8

/** After so many requests without a valid token, one after the other, a connection is closed. */
const MAX_UNAUTHORIZED = 10

const NOTHING = Buffer.alloc(0)

/** Most that is read of a request after its reply, in bytes. */
const MAX_LEFTOVER = 64 * 1024 ** 2

/** The open connections. Each has one request after the other served, and keeps no more than it has read in memory. */
export class Connections {
  readonly #open = new Map<Socket, Connection>()
  readonly #most: number

  /** @param most that may have a request in progress */
  constructor(server: Server, most: number) {
    this.#most = most
    server.on('connection', socket => {
      if (this.#open.size >= most * (1 + KEPT) + MOST_REFUSED) return refuseUnread(socket)
      this.#open.set(socket, new Connection(socket, server))
      socket.once('close', () => this.#open.delete(socket))
    })
    server.prependListener('request', (request, response) => {
      this.#open.get(request.socket)?.add(request, response)
    })
  }

  /** Whether a connection is to be closed after its reply. */
  get areMany(): boolean {
    return this.#open.size > this.#most * KEPT
  }

  /** Whether more have a request in progress than there is room for. */
  get areFull(): boolean {
    if (this.#open.size <= this.#most) return false
    return [...this.#open.values()].filter(({ isBusy }) => isBusy).length > this.#most
  }

  /** The connection of a request, while it is open. */
  of({ socket }: IncomingMessage): Connection | undefined {
    return this.#open.get(socket)
  }

  /** Whether requests have arrived that wait for another on the same connection. */
  get arePipelined(): boolean {
    return [...this.#open.values()].some(({ isPipelined }) => isPipelined)
  }

  /** Closes connections without a complete request; `server.close()` would wait for them. */
  destroyStrays(): void {
    for (const [socket, connection] of this.#open) if (!connection.hasCompleteRequest) socket.destroy()
  }
}

class Connection {
  readonly #socket: Socket
  /** Those that await a reply, in order of arrival: one, and what else its last slice held. */
  readonly #requests = new Map<IncomingMessage, ServerResponse>()
  #last?: IncomingMessage
  readonly #parse: (bytes: Buffer) => void
  #unparsed: Buffer = NOTHING
  /** At least so much of the body that is arriving is not parsed yet, in bytes. */
  #bodyLeft = 0
  /** What has been parsed in its turn, in bytes. */
  #parsed = 0
  /** Whether it waits for its turn to be read on. */
  #isWaiting = false
  /** Node's way to give up what is not answered yet. */
  readonly #giveUp: () => void
  /** Whether the caller has ended its side, and Node has not given up yet. */
  #hasEnded = false
  /** The byte at which a connection that only reads on is closed. */
  #mostRead?: number
  /** Replies in a row to requests without a valid token. */
  #unauthorized = 0
  /** Whether more requests than those that have arrived may be on their way. */
  #hasPipelined = false

  constructor(socket: Socket, server: Server) {
    this.#socket = socket
    // Node's requests take it from their socket.
    Object.defineProperty(socket, 'readableHighWaterMark', { value: MAX_UNREAD })
    // Node's only listener parses what arrives.
    const [parse] = socket.listeners('data')
    this.#parse = parse as (bytes: Buffer) => void
    socket.removeAllListeners('data')
    socket.on('data', bytes => this.#read(bytes))
    socket.on('resume', () => this.#read())
    // Its last one for the end, which may come while requests wait to be parsed.
    const giveUp = socket.listeners('end').at(-1)
    this.#giveUp = giveUp as () => void
    socket.off('end', this.#giveUp)
    socket.on('end', () => {
      this.#hasEnded = true
      this.#giveUpSoon()
    })
    // Node's way to close it after a reply.
    const close = socket.destroySoon
    socket.destroySoon = () => {
      if (this.#last?.complete !== false) return close.call(socket)
      if (this.#mostRead === undefined) this.#endSoon(server.requestTimeout)
    }
  }

  get isBusy(): boolean {
    return this.#requests.size > 0
  }

  /** Whether another request waits: closing after this reply would lose the next. */
  get isPipelined(): boolean {
    return this.#requests.size > 1 || this.#unparsed.length > 0
  }

  /** Counts a reply. @returns whether it has had too many requests without a valid token, one after the other */
  isUnauthorized(status: number): boolean {
    this.#hasPipelined ||= this.isPipelined
    this.#unauthorized = status === 401 ? this.#unauthorized + 1 : 0
    return this.#unauthorized >= MAX_UNAUTHORIZED && !this.#hasPipelined
  }

  get hasCompleteRequest(): boolean {
    return [...this.#requests.keys()].some(({ complete }) => complete)
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    this.#last = request
    this.#bodyLeft = Number(request.headers['content-length'] ?? 0)
    this.#requests.set(request, response)
    response.once('close', () => {
      this.#requests.delete(request)
      // Nobody reads what is left of its body. The adapter would close the connection for it, half a second later, whatever came since.
      request.removeAllListeners('data').resume()
      Object.defineProperty(request, 'readableEnded', { value: true })
      if (this.#unparsed.length > 0 && !this.hasCompleteRequest) this.#readOn()
      if (this.#hasEnded) this.#giveUpSoon()
    })
  }

  /** Parses more once it is this connection's turn, even if Node resumes the socket before. */
  #readOn(): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    readShare(() => {
      this.#isWaiting = false
      this.#parsed = 0
      this.#read()
    })
  }

  /** A caller that has ended its side gets the replies that wait for nothing: by the next turn they are given. */
  #giveUpSoon(): void {
    setImmediate(() => {
      // Once only, and never after the close: another connection may have its parser by then.
      if (!this.#hasEnded || this.#socket.destroyed) return
      const [reply] = this.#requests.values()
      const isLeft = reply ? reply.writableEnded : this.#unparsed.length > 0
      if (isLeft) return
      this.#hasEnded = false
      this.#giveUp.call(this.#socket)
    })
  }

  /**
   * Ends our side, and reads what is still on its way until the caller ends its own. Closed at once, the connection would be
   * reset, and a caller that still writes would lose its reply.
   *
   * @param longestMs after which it is closed all the same
   */
  #endSoon(longestMs: number): void {
    const socket = this.#socket
    this.#mostRead = socket.bytesRead + MAX_LEFTOVER
    const tooLong = setTimeout(() => socket.destroy(), longestMs)
    socket.once('close', () => clearTimeout(tooLong))
    socket.end()
    socket.resume()
  }

  /** Parses to the end of a request, as far as this turn goes, and the rest once it is answered. */
  #read(arrived = NOTHING): void {
    if (this.#mostRead !== undefined) {
      if (this.#socket.bytesRead > this.#mostRead) this.#socket.destroy()
      return
    }
    const parts = [this.#unparsed, arrived].filter(({ length }) => length > 0)
    const [bytes] = parts.length > 1 ? [Buffer.concat(parts)] : parts
    if (!bytes) return
    const at = this.#parseTurn(bytes)
    this.#parsed += at
    this.#unparsed = at < bytes.length ? bytes.subarray(at) : NOTHING
    const isOver = this.#unparsed.length > 0 || this.#parsed >= TURN_BYTES
    if (isOver && this.#mayParse) this.#readOn()
    // Until then it is read, which shows when the caller ends its side.
    if (this.#unparsed.length >= TURN_BYTES) this.#socket.pause()
    else if (!this.#isUnread) this.#socket.resume()
    if (this.#hasEnded) this.#giveUpSoon()
  }

  /** @returns how many bytes were parsed */
  #parseTurn(bytes: Buffer): number {
    let at = 0
    const until = performance.now() + TURN_MS
    while (at < bytes.length && this.#mayParse && performance.now() < until) {
      const isBody = this.#last?.complete === false
      const slice = bytes.subarray(at, at + (isBody ? Math.max(BODY_SLICE, this.#bodyLeft) : SLICE))
      this.#parse(slice)
      // The slice that held the head of the request is counted whole.
      this.#bodyLeft -= slice.length
      at += slice.length
    }
    return at
  }

  get #mayParse(): boolean {
    return !this.#isWaiting && !this.#socket.destroyed && !this.hasCompleteRequest && !this.#isUnread
  }

  /** Whether much of the body that arrives is not read yet. Node pauses the socket then, and resumes it. */
  get #isUnread(): boolean {
    const last = this.#last
    return last?.complete === false && last.readableLength >= MAX_UNREAD && this.#requests.has(last)
  }
}

/** Tells a caller to come back, without reading its request. The kernel delivers what is written before the end. */
function refuseUnread(socket: Socket): void {
  const { status, headers, message } = full()
  const body = JSON.stringify(errorResponse('', message))
  const fields = {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    Connection: 'close',
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  socket.destroy()
}
