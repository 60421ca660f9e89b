import { setTimeout as sleep } from 'node:timers/promises'
import type { StructuredToolInterface } from '@langchain/core/tools'
import { offeredTools } from './offered-tools.ts'
import type { McpServerSettings } from './server-settings.ts'
import { reasonOf, Session } from './session.ts'
import type { ToolList } from './tool-list.ts'

/** What happened to a server, for the log. */
export type McpEvent = { readonly server: string } & (
  | {
      /** `changed`: its list of tools changed. */
      readonly type: 'connected' | 'changed'
      readonly tools: number
      /** Names of tools that cannot be offered. */
      readonly refused: ToolList['refused']
    }
  | { readonly type: 'lost'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string; readonly isRepeated: boolean }
  /** Some of its tools are not offered because their names are taken or there are too many tools. */
  | { readonly type: 'left_out'; readonly names: readonly string[] }
  /** Start-up stopped waiting for it. */
  | { readonly type: 'late' }
)

/** Receives each event in order; must not throw. */
export type McpReport = (event: McpEvent) => void

export interface ServerOptions {
  readonly report: McpReport
  /** Called after each change of `tools`. */
  readonly onChange: () => void
  /** Wait before the second attempt, in milliseconds; doubles with each further one. */
  readonly firstBackoffMs: number
}

const LONGEST_BACKOFF_MS = 60_000

/** Stays connected to a server for the life of the agent, reconnecting whenever the connection is lost. */
export class McpServer {
  readonly name: string
  /** Resolves when the first attempt to connect has succeeded or failed. */
  readonly tried: Promise<void>
  readonly #settings: McpServerSettings
  readonly #options: ServerOptions
  readonly #end = new AbortController()
  readonly #life: Promise<void>
  #tools: readonly StructuredToolInterface[] = []
  #session: Session | undefined

  constructor(settings: McpServerSettings, options: ServerOptions) {
    this.name = settings.name
    this.#settings = settings
    this.#options = options
    const { promise, resolve } = Promise.withResolvers<void>()
    this.tried = promise
    this.#life = this.#live(resolve)
  }

  /** The tools that can be called now; empty while the server is down. */
  get tools(): readonly StructuredToolInterface[] {
    return this.#tools
  }

  /** Closes the connection and stops the program behind it. */
  async close(): Promise<void> {
    this.#end.abort()
    await this.#session?.close()
    await this.#life
  }

  async #live(tried: () => void): Promise<void> {
    const { signal } = this.#end
    const { firstBackoffMs } = this.#options
    let backoffMs = firstBackoffMs
    let failure: string | undefined
    while (!signal.aborted) {
      const session = new Session(this.#settings)
      this.#session = session
      const startedAt = performance.now()
      try {
        const list = await session.open()
        this.#offer(session, list, 'connected')
        session.onToolsChanged = changed => this.#offer(session, changed, 'changed')
        tried()
        failure = undefined
        const reason = await session.lost
        this.#report({ server: this.name, type: 'lost', reason })
      } catch (error) {
        const reason = reasonOf(error)
        this.#report({ server: this.name, type: 'failed', reason, isRepeated: reason === failure })
        failure = reason
      }
      tried()
      this.#offerNothing()
      await session.close()
      // Keep backing off from a server whose connections do not last.
      if (performance.now() - startedAt > LONGEST_BACKOFF_MS) backoffMs = firstBackoffMs
      await sleep(backoffMs, undefined, { signal }).catch(() => {})
      backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS)
    }
  }

  #offer(session: Session, { tools, refused }: ToolList, type: 'connected' | 'changed'): void {
    if (session !== this.#session) return
    this.#tools = offeredTools(session, tools)
    this.#report({ server: this.name, type, tools: tools.length, refused })
    this.#options.onChange()
  }

  #offerNothing(): void {
    this.#session = undefined
    if (this.#tools.length === 0) return
    this.#tools = []
    this.#options.onChange()
  }

  #report(event: McpEvent): void {
    if (!this.#end.signal.aborted) this.#options.report(event)
  }
}
