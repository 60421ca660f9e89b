import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  type CallToolResult,
  CallToolResultSchema,
  ErrorCode,
  McpError,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { ToolError } from '../tool.ts'
import type { McpServerSettings } from './server-settings.ts'
import { type CallTool, listTools, type ToolList } from './tool-list.ts'
import { closeTransport, createTransport, type McpTransport } from './transport.ts'

/** Long, because a program may have to be downloaded first, as by `npx`. */
const CONNECT_TIMEOUT_MS = 60_000
const PING_TIMEOUT_MS = 10_000
/** Time between checks that the server is there. */
const CHECK_INTERVAL_MS = 30_000
/** Delay of an extra check: its triggers often come several at once. */
const CHECK_SOON_MS = 500

/** Codes that the SDK uses when no answer came. */
const NO_ANSWER: readonly number[] = [ErrorCode.ConnectionClosed, ErrorCode.RequestTimeout]

/** One connection to a server, from connecting to its loss. */
export class Session {
  /** Called with the new list when the server's tools change. */
  onToolsChanged: (list: ToolList) => void = () => {}
  readonly #settings: McpServerSettings
  readonly #transport: McpTransport
  readonly #client = new Client({ name: 'agent-task-service', version: '1' })
  readonly #lost = Promise.withResolvers<string>()
  #isClosed = false
  #calls = 0
  #listIsStale = false
  #timer: NodeJS.Timeout | undefined
  /** When the next check is due, by `performance.now()`. */
  #dueAt = Number.POSITIVE_INFINITY

  constructor(settings: McpServerSettings) {
    this.#settings = settings
    this.#transport = createTransport(settings)
  }

  /** Resolves with the reason when the connection is lost or closed. */
  get lost(): Promise<string> {
    return this.#lost.promise
  }

  /**
   * Connects; call it only once.
   *
   * @returns the server's tools
   * @throws if it fails, or `close` is called meanwhile
   */
  async open(): Promise<ToolList> {
    const client = this.#client
    client.onclose = () => this.#lost.resolve('connection closed')
    await client.connect(this.#transport, { timeout: CONNECT_TIMEOUT_MS })
    const list = await this.#list()
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#listIsStale = true
      this.#checkIn(CHECK_SOON_MS)
    })
    // Over HTTP this is the only sign that a server has gone.
    if (this.#settings.transport === 'http') client.onerror = () => this.#checkIn(CHECK_SOON_MS)
    this.#checkIn(CHECK_INTERVAL_MS)
    return list
  }

  async #list(): Promise<ToolList> {
    return await listTools(this.#client, this.#settings.name, (...call) => this.#call(...call))
  }

  /**
   * Calls a tool. The result may be an error of the tool.
   *
   * @throws {ToolError} if there is no usable result; another error if the signal aborts
   */
  async #call(...[name, args, signal]: Parameters<CallTool>): Promise<CallToolResult> {
    this.#calls += 1
    try {
      const request = {
        method: 'tools/call' as const,
        params: { name, arguments: args as Record<string, unknown> },
      }
      return await this.#client.request(request, CallToolResultSchema, { signal })
    } catch (error) {
      if (signal?.aborted) throw error
      if (isAnswer(error)) throw new ToolError(error.message)
      this.#checkIn(CHECK_SOON_MS)
      throw new ToolError(`the MCP server ${this.#settings.name} gave no usable answer (${reasonOf(error)})`)
    } finally {
      this.#calls -= 1
    }
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
    // An extra one may be asked for meanwhile.
    this.#checkIn(CHECK_INTERVAL_MS)
    try {
      if (this.#listIsStale) {
        this.#listIsStale = false
        this.onToolsChanged(await this.#list())
      }
      // No ping during a call: a busy program may not answer it.
      else if (this.#calls === 0) await this.#client.ping({ timeout: PING_TIMEOUT_MS })
    } catch (error) {
      if (!isAnswer(error)) this.#lost.resolve(reasonOf(error))
    }
  }
}

/** Whether the server answered the request, even if only to refuse it. */
function isAnswer(error: unknown): error is McpError {
  return error instanceof McpError && !NO_ANSWER.includes(error.code)
}

/** Why a connection failed, in our own words, since a server's message may quote a key. */
export function reasonOf(error: unknown): string {
  if (error instanceof StreamableHTTPError && error.code !== undefined) return `HTTP status ${error.code}`
  if (error instanceof McpError) {
    if (error.code === ErrorCode.RequestTimeout) return 'no answer in time'
    return error.code === ErrorCode.ConnectionClosed ? 'connection closed' : `MCP error ${error.code}`
  }
  return codeOf(error) ?? (error instanceof Error ? error.name : typeof error)
}

/** The system error code of an error or one of its causes, such as ECONNREFUSED or ENOENT. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : codeOf(error.cause)
}
