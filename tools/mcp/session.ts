import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { CallToolResultSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { isAnswer, reasonOf } from './failure.ts'
import type { McpServerSettings } from './server-settings.ts'
import { listTools, type ToolList } from './tool-list.ts'
import { closeTransport, createTransport, type McpTransport } from './transport.ts'

/** A program may have to be fetched first, as `npx` does. */
const CONNECT_TIMEOUT_MS = 60_000
const PING_TIMEOUT_MS = 10_000
/** Between two looks at whether a server is there. */
const CHECK_INTERVAL_MS = 30_000
/** Before a look that something calls for: what calls for it often calls more than once. */
const CHECK_SOON_MS = 500

/** What came of a call: text and other content, or `isError`, in MCP's own form. */
export type CallResult = Awaited<ReturnType<Client['callTool']>>

/** One connection to a server, from its first word to its loss. */
export class Session {
  /** Told when the server lists other tools than before. */
  onToolsChanged: (list: ToolList) => Promise<void> = async () => {}
  /** Resolves when the connection is lost or closed, with a word for why. */
  readonly lost: Promise<string>
  readonly #settings: McpServerSettings
  readonly #transport: McpTransport
  readonly #client = new Client({ name: 'agent-task-service', version: '1' })
  readonly #lose: (reason: string) => void
  #isClosed = false
  #calls = 0
  #listIsStale = false
  #timer: NodeJS.Timeout | undefined
  #checksSoon = false

  constructor(settings: McpServerSettings) {
    const { promise, resolve } = Promise.withResolvers<string>()
    this.lost = promise
    this.#lose = resolve
    this.#settings = settings
    this.#transport = createTransport(settings)
  }

  /**
   * Connects, once.
   *
   * @returns the server's tools
   * @throws where it fails, also by `close`
   */
  async open(): Promise<ToolList> {
    const client = this.#client
    client.onclose = () => this.#lose('connection closed')
    await client.connect(this.#transport, { timeout: CONNECT_TIMEOUT_MS })
    const list = await listTools(client, this.#settings.name)
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      this.#listIsStale = true
      this.#checkSoon()
    })
    // Over HTTP nothing else tells of a server that has gone.
    if (this.#settings.transport === 'http') client.onerror = () => this.#checkSoon()
    this.#checkIn(CHECK_INTERVAL_MS)
    return list
  }

  /**
   * Calls a tool. Whatever goes wrong is a result with `isError`, in words that the model may read.
   *
   * @throws where the signal aborts
   */
  async call(
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal | undefined,
  ): Promise<CallResult> {
    this.#calls += 1
    try {
      const request = { method: 'tools/call' as const, params: { name: tool, arguments: args } }
      return await this.#client.request(request, CallToolResultSchema, { signal })
    } catch (error) {
      if (signal?.aborted) throw error
      if (isAnswer(error)) return failed(error.message)
      this.#checkSoon()
      return failed(`the MCP server ${this.#settings.name} gave no usable answer (${reasonOf(error)})`)
    } finally {
      this.#calls -= 1
    }
  }

  /** Ends the connection, and the program behind it. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#lose('closed')
    clearTimeout(this.#timer)
    await closeTransport(this.#transport)
  }

  #checkSoon(): void {
    if (this.#checksSoon) return
    this.#checksSoon = true
    this.#checkIn(CHECK_SOON_MS)
  }

  #checkIn(milliseconds: number): void {
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#check(), milliseconds)
  }

  async #check(): Promise<void> {
    this.#checksSoon = false
    try {
      if (this.#listIsStale) {
        this.#listIsStale = false
        await this.onToolsChanged(await listTools(this.#client, this.#settings.name))
      }
      // A program that is at work on a call may have no ear for a ping.
      else if (this.#calls === 0) await this.#client.ping({ timeout: PING_TIMEOUT_MS })
    } catch (error) {
      if (!isAnswer(error)) this.#lose(reasonOf(error))
    }
    if (!this.#checksSoon) this.#checkIn(CHECK_INTERVAL_MS)
  }
}

function failed(text: string): CallResult {
  return { isError: true, content: [{ type: 'text', text }] }
}
