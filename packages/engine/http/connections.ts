import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { parseShare } from '../run/fair-share.ts'
import { refuseUnread } from './refuse-unread.ts'

/**
 * What is parsed of a connection at once, in bytes, or what is left of a body. Node would parse all it has read: hundreds of
 * small requests from each connection, or thousands of chunks of a byte.
 */
const SLICE = 256

/** Of a body, what may wait to be read, in bytes: each may be a piece of its own, which takes two hundred. */
const MAX_UNREAD = 1_024

/** How long a connection is parsed before others have their turn, in milliseconds. */
const MAX_PARSE_MS = 0.2

/** After so many requests without a valid token, one after the other, a connection is closed. */
const MAX_UNAUTHORIZED = 10

/** Of the connections for which there is room, as a share: so many others may stay open between requests. */
const KEPT = 1 / 8

/** Beyond these, so many have their request read before it is refused. */
const MOST_REFUSED = 8

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

  /** Whether another request waits on the same connection: closing after this reply would lose the next. */
  isPipelined({ socket }: IncomingMessage): boolean {
    return this.#open.get(socket)?.isPipelined ?? false
  }

  /** Counts a reply. @returns whether the connection has had too many requests without a valid token, one after the other */
  isUnauthorized({ socket }: IncomingMessage, status: number): boolean {
    return this.#open.get(socket)?.isUnauthorized(status) ?? false
  }

  /** Closes connections without a complete request; `server.close()` would wait for them. */
  destroyStrays(): void {
    for (const [socket, connection] of this.#open) if (!connection.hasCompleteRequest) socket.destroy()
  }
}

class Connection {
  readonly #socket: Socket
  /** Those that await a reply, in order of arrival: one, and what else its last slice held. */
  readonly #requests = new Set<IncomingMessage>()
  #last?: IncomingMessage
  readonly #parse: (bytes: Buffer) => void
  #unparsed: Buffer = NOTHING
  /** At least so much of the body that is arriving is not parsed yet, in bytes. */
  #bodyLeft = 0
  #unauthorized = 0
  /** Whether more requests than those that have arrived may be on their way. */
  #hasPipelined = false
  /** Whether reading is paused here; Node pauses it too, while replies are not read. */
  #isPaused = false
  /** Its turn to be parsed further. */
  #turn: 'none' | 'awaited' | 'now' = 'none'
  /** The byte at which a connection that only reads on is closed. */
  #mostRead?: number

  constructor(socket: Socket, server: Server) {
    this.#socket = socket
    // Node's requests take it from their socket.
    Object.defineProperty(socket, 'readableHighWaterMark', { value: MAX_UNREAD })
    // Node's only listener parses what arrives.
    const [parse] = socket.listeners('data')
    this.#parse = parse as (bytes: Buffer) => void
    socket.removeAllListeners('data')
    socket.on('data', bytes => this.#read(bytes))
    socket.on('resume', () => this.#readOn())
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

  get isPipelined(): boolean {
    return this.#requests.size > 1 || this.#unparsed.length > 0
  }

  get hasCompleteRequest(): boolean {
    return [...this.#requests].some(({ complete }) => complete)
  }

  isUnauthorized(status: number): boolean {
    this.#unauthorized = status === 401 ? this.#unauthorized + 1 : 0
    return this.#unauthorized >= MAX_UNAUTHORIZED && !this.#hasPipelined
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    this.#last = request
    this.#bodyLeft = Number(request.headers['content-length'] ?? 0)
    this.#requests.add(request)
    this.#hasPipelined ||= this.isPipelined
    response.once('close', () => {
      this.#requests.delete(request)
      if (this.#isPaused) this.#socket.resume()
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

  /** Parses to the end of a request, and the rest once it is answered. */
  #read(bytes: Buffer): void {
    if (this.#mostRead !== undefined) {
      if (this.#socket.bytesRead > this.#mostRead) this.#socket.destroy()
      return
    }
    let at = 0
    const until = performance.now() + MAX_PARSE_MS
    while (at < bytes.length && this.#mayParse && performance.now() < until) {
      const slice = bytes.subarray(at, at + Math.max(SLICE, this.#bodyLeft))
      this.#parse(slice)
      // The slice that held the head of the request is counted whole.
      this.#bodyLeft -= slice.length
      at += slice.length
    }
    this.#unparsed = at < bytes.length ? bytes.subarray(at) : NOTHING
    this.#isPaused = this.#unparsed.length > 0 && !this.#socket.isPaused()
    const isDue = this.#isPaused && this.#mayParse
    if (this.#isPaused) this.#socket.pause()
    if (isDue) this.#waitForTurn()
  }

  /** Goes on with what is not parsed yet, once it is this connection's turn. */
  #readOn(): void {
    if (this.#unparsed.length === 0 || this.#mostRead !== undefined) return
    if (this.#turn === 'now') {
      this.#turn = 'none'
      this.#read(this.#unparsed)
    } else {
      this.#socket.pause()
      this.#waitForTurn()
    }
  }

  #waitForTurn(): void {
    if (this.#turn === 'awaited') return
    this.#turn = 'awaited'
    void parseShare().then(() => {
      this.#turn = 'now'
      this.#socket.resume()
    })
  }

  get #mayParse(): boolean {
    if (this.#socket.isPaused() || this.#socket.destroyed) return false
    return !this.hasCompleteRequest
  }
}
