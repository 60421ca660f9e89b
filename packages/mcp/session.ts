import { causesOf } from '@agent-task-service/engine/more-tools'
import { ToolError, UnknownOutcome } from '@agent-task-service/engine/tool'
import { membersOf, parseJson } from '@agent-task-service/wire/untrusted'
import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { z } from 'zod'
import { Inflow, REPLY_COST } from './inflow.ts'
import type { McpServerSettings } from './mcp-file.ts'
import { Excess } from './message-scan.ts'
import { isUnreadable } from './normalize-message.ts'
import { areSame, listTools, type ToolList, type ToolServer } from './tool-list.ts'
import { abandonTransport, closeTransport, createTransport, type McpTransport } from './transport.ts'

/** Long, because a program may have to be downloaded first, as by `npx`. */
const CONNECT_TIMEOUT_MS = 60_000
/** How long a program may be silent when asked which protocol it speaks, before it is taken for an old one. */
const SILENCE_MS = 20_000
const PING_TIMEOUT_MS = 10_000
/** Time between checks that the server is there. */
const CHECK_INTERVAL_MS = 30_000
/** Delay of an extra check: its triggers often come several at once. */
const CHECK_SOON_MS = 500
/** Longest time between readings of a list that keeps changing; doubles with each, from the delay of an extra check. */
const LONGEST_REST_MS = 20_000
const MAX_VERSIONS = 5
/** JSON-RPC's errors of a request that was not carried out: parse error, invalid request, unknown method, invalid parameters. */
const REFUSALS = [-32700, -32600, -32601, -32602]
/** HTTP statuses of a request that was not carried out: not authorized, no such session or address, too large, too many. */
const REFUSED_STATUSES = [401, 403, 404, 405, 413, 415, 429]
/** System errors of a request that never reached the server. */
const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']
/** Member of a call's `_meta`. */
const IDEMPOTENCY_KEY = 'agent-task-service/idempotency-key'

/** One connection to a server, from connecting to its loss. */
export class McpSession {
  /** Called with the new list when the server's tools change. */
  onToolsChanged: (list: ToolList) => void = () => {}
  readonly #settings: McpServerSettings
  readonly #server: ToolServer
  readonly #inflow = new Inflow(excess => this.#end(excess))
  readonly #exceeded = Promise.withResolvers<never>()
  #transport: McpTransport
  readonly #client: Client
  readonly #lost = Promise.withResolvers<string>()
  /** Resolves with the reason when the connection is lost or closed. */
  readonly lost = this.#lost.promise
  #isClosed = false
  #calls = 0
  #list: ToolList
  #listIsStale = false
  #isReadingList = false
  /** How long to wait after reading the list, in milliseconds, and when that is over, by `performance.now()`. */
  #restMs = CHECK_SOON_MS
  #restedAt = 0
  #isListening = false
  #timer: NodeJS.Timeout | undefined
  /** When the next check is due, by `performance.now()`; none before the connection is open. */
  #dueAt = Number.NEGATIVE_INFINITY

  /**
   * @param server whose tools these are
   * @param earlier its tools as they were last listed
   * @param isRetry it has failed before; perhaps it is not old but slow to start
   */
  constructor(settings: McpServerSettings, server: ToolServer, earlier: ToolList, isRetry: boolean) {
    this.#settings = settings
    this.#server = server
    this.#list = earlier
    this.#exceeded.promise.catch(() => {})
    this.#transport = createTransport(settings, this.#inflow)
    const probe = { timeoutMs: isRetry ? CONNECT_TIMEOUT_MS : SILENCE_MS }
    const info = { name: 'agent-task-service', version: '1' }
    this.#client = new Client(info, { versionNegotiation: { mode: 'auto', probe } })
  }

  /**
   * Connects; call it only once.
   *
   * @returns the server's tools
   * @throws if it fails, or `close` is called meanwhile
   */
  async open(): Promise<ToolList> {
    return await Promise.race([this.#open(), this.#exceeded.promise])
  }

  async #open(): Promise<ToolList> {
    const client = this.#client
    client.onclose = () => this.#lost.resolve('connection closed')
    client.setNotificationHandler('notifications/tools/list_changed', () => this.#relist())
    await this.#connect()
    await this.#listen()
    this.#list = await this.#readList()
    // Over HTTP this is the only sign that a server has gone.
    if (this.#settings.transport === 'http') client.onerror = () => this.#checkIn(CHECK_SOON_MS)
    this.#dueAt = Number.POSITIVE_INFINITY
    this.#checkIn(this.#listIsStale ? CHECK_SOON_MS : CHECK_INTERVAL_MS)
    return this.#list
  }

  /** Connects in the newest protocol that both sides speak. */
  async #connect(): Promise<void> {
    const options = { timeout: CONNECT_TIMEOUT_MS }
    try {
      await this.#client.connect(this.#transport, options)
    } catch (error) {
      const isUndecided = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed
      if (this.#isClosed || !isUndecided) throw error
      // Asked what they speak, some programs of the old protocol exit, and some servers fail.
      this.#transport = createTransport(this.#settings, this.#inflow)
      await this.#client.connect(this.#transport, { ...options, prior: { kind: 'legacy' } })
    }
  }

  /** Has a server of the new protocol report changes of its list, as one of the old does unasked. */
  async #listen(): Promise<void> {
    const reports = this.#client.getServerCapabilities()?.tools?.listChanged
    if (!this.#isNew || !reports || this.#isListening) return
    try {
      const { closed } = await this.#client.listen({ toolsListChanged: true }, { timeout: PING_TIMEOUT_MS })
      this.#isListening = true
      void closed.then(() => {
        this.#isListening = false
        this.#relist()
      })
    } catch {
      // Then each check reads the list.
      this.#listIsStale = true
    }
  }

  get #isNew(): boolean {
    return this.#client.getProtocolEra() === 'modern'
  }

  #relist(): void {
    this.#listIsStale = true
    this.#checkIn(Math.max(CHECK_SOON_MS, this.#restedAt - performance.now()))
  }

  async #update(): Promise<void> {
    this.#listIsStale = false
    this.#isReadingList = true
    const isQuiet = performance.now() > this.#restedAt + LONGEST_REST_MS
    this.#restMs = isQuiet ? CHECK_SOON_MS : Math.min(this.#restMs * 2, LONGEST_REST_MS)
    try {
      await this.#listen()
      const list = await this.#readList()
      if (areSame(list, this.#list)) return
      this.#list = list
      this.onToolsChanged(list)
    } finally {
      this.#isReadingList = false
      if (this.#listIsStale) this.#relist()
    }
  }

  async #ping(): Promise<void> {
    const options = { timeout: PING_TIMEOUT_MS }
    await (this.#isNew ? this.#client.discover(options) : this.#client.ping(options))
  }

  async #readList(): Promise<ToolList> {
    const list = await this.#inflow.during(REPLY_COST.list, () =>
      listTools(this.#client, this.#server, this.#list),
    )
    this.#restedAt = performance.now() + this.#restMs
    return list
  }

  /**
   * Calls a tool. The result may be an error of the tool.
   *
   * @throws {ToolError} if there is no usable result; another error if the signal aborts
   */
  async call(...[tool, args, options]: Parameters<ToolServer['call']>): Promise<CallToolResult> {
    const { signal, idempotencyKey } = options
    this.#calls += 1
    try {
      const _meta = { [IDEMPOTENCY_KEY]: idempotencyKey }
      const request = { name: tool.name, arguments: args as Record<string, unknown>, _meta }
      const reply = () => this.#client.callTool(request, { signal, toolDefinition: tool })
      return await this.#inflow.during(REPLY_COST.call, reply)
    } catch (error) {
      if (signal?.aborted) throw error
      if (error instanceof ProtocolError && !isUnreadable(error)) throw toolErrorOf(error)
      this.#checkIn(CHECK_SOON_MS)
      const { name } = this.#settings
      if (wasRefused(error))
        throw new ToolError(`the MCP server ${name} did not take the call (${reasonOf(error)}).`)
      throw new UnknownOutcome(`the MCP server ${name} gave no usable answer (${reasonOf(error)})`)
    } finally {
      this.#calls -= 1
    }
  }

  #end(excess: Excess): void {
    this.#lost.resolve(excess.message)
    this.#exceeded.reject(excess)
    abandonTransport(this.#transport)
  }

  /** Closes the connection and stops the program behind it. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#lost.resolve('closed')
    clearTimeout(this.#timer)
    await closeTransport(this.#transport)
  }

  /** Checks by then. A check that is due sooner stays, so that triggers that keep coming do not put it off. */
  #checkIn(milliseconds: number): void {
    const dueAt = performance.now() + milliseconds
    if (this.#isClosed || dueAt >= this.#dueAt) return
    this.#dueAt = dueAt
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#check(), milliseconds)
  }

  async #check(): Promise<void> {
    this.#dueAt = Number.POSITIVE_INFINITY
    const restMs = this.#listIsStale ? this.#restedAt - performance.now() : 0
    // An extra one may be asked for meanwhile.
    this.#checkIn(restMs > 0 ? restMs : CHECK_INTERVAL_MS)
    try {
      if (this.#listIsStale && restMs <= 0 && !this.#isReadingList) await this.#update()
      // No ping during a call: a busy program may not answer it.
      else if (this.#calls === 0) await this.#ping()
    } catch (error) {
      // Even a refusal is an answer.
      if (!(error instanceof ProtocolError)) this.#lost.resolve(reasonOf(error))
    }
  }
}

/** Of a request that was not carried out, the outcome is known. */
function toolErrorOf({ code, message }: ProtocolError): ToolError {
  return REFUSALS.includes(code) ? new ToolError(message) : new UnknownOutcome(message)
}

/** Whether a request was certainly not carried out. */
function wasRefused(error: unknown): boolean {
  if (error instanceof SdkHttpError) return REFUSED_STATUSES.includes(error.status ?? 0)
  return UNREACHED.includes(codeOf(error) ?? '')
}

/** Why a connection failed, in our own words, since a server's message may quote a key. */
export function reasonOf(error: unknown): string {
  if (error instanceof Excess) return error.message
  // The status text is ours: bounded-fetch.ts.
  if (error instanceof SdkHttpError)
    return `HTTP status ${error.status}${error.statusText ?? ''}${supportedVersions(bodyOf(error))}`
  if (error instanceof ProtocolError && isUnreadable(error)) return error.message
  if (error instanceof ProtocolError) return `MCP error ${error.code}${supportedVersions(error)}`
  if (error instanceof SdkError) {
    if (error.code === SdkErrorCode.RequestTimeout) return 'no answer in time'
    if (error.code === SdkErrorCode.ConnectionClosed) return 'connection closed'
  }
  return codeOf(error) ?? (error instanceof Error ? error.name : typeof error)
}

const version = z.iso.date()

/** The protocol versions that a refusal names. */
function supportedVersions(error: unknown): string {
  const { supported } = membersOf(membersOf(error).data)
  const versions = [supported].flat().filter(one => version.safeParse(one).success)
  return versions.length === 0 ? '' : `: the server speaks MCP ${versions.slice(0, MAX_VERSIONS).join(', ')}`
}

/** The JSON-RPC error in the body of an HTTP response. */
function bodyOf({ data }: SdkHttpError): unknown {
  return membersOf(parseJson(String(data.text))).error
}

/** The system error code of an error or one of its causes, such as ECONNREFUSED or ENOENT. */
function codeOf(error: unknown): string | undefined {
  const codes = causesOf(error).map(cause => (cause as NodeJS.ErrnoException).code)
  return codes.find(code => typeof code === 'string' && /^\w{1,40}$/.test(code))
}
