import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { refuseUnread } from './refuse-unread.ts'

/**
 * What is parsed of a connection at once, in bytes, or what is left of a body. Node would parse all it has read, hundreds of
 * small requests from each connection.
 */
const SLICE = 1_024

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
  /** Whether reading is paused here; Node pauses it too, while replies are not read. */
  #isPaused = false
  /** The byte at which a connection that only reads on is closed. */
  #mostRead?: number

  constructor(socket: Socket, server: Server) {
    this.#socket = socket
    // Node's only listener parses what arrives.
    const [parse] = socket.listeners('data')
    this.#parse = parse as (bytes: Buffer) => void
    socket.removeAllListeners('data')
    socket.on('data', bytes => this.#read(bytes))
    socket.on('resume', () => this.#read(this.#unparsed))
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

  add(request: IncomingMessage, response: ServerResponse): void {
    this.#last = request
    this.#bodyLeft = Number(request.headers['content-length'] ?? 0)
    this.#requests.add(request)
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
    while (at < bytes.length && this.#mayParse) {
      const slice = bytes.subarray(at, at + Math.max(SLICE, this.#bodyLeft))
      this.#parse(slice)
      // The slice that held the head of the request is counted whole.
      this.#bodyLeft -= slice.length
      at += slice.length
    }
    this.#unparsed = at < bytes.length ? bytes.subarray(at) : NOTHING
    this.#isPaused = this.#unparsed.length > 0 && !this.#socket.isPaused()
    if (this.#isPaused) this.#socket.pause()
  }

  get #mayParse(): boolean {
    if (this.#socket.isPaused() || this.#socket.destroyed) return false
    return !this.hasCompleteRequest
  }
}
