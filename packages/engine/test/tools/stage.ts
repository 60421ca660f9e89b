import { setImmediate as turn } from 'node:timers/promises'
import { SERVER } from '@agent-task-service/engine/more-tools'
import { until } from '@agent-task-service/test-support/until'
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools'
import { z } from 'zod'

/** Turns of the event loop in which whatever may begin has begun. */
const TURNS = 20

/** A call of a tool on a stage. */
export interface Act {
  readonly tool: string
  /** Its arguments: what names it in the trace, and more that its tool reads. */
  readonly args: { readonly id: string } & Readonly<Record<string, unknown>>
}

export interface StagedTool {
  readonly name: string
  /** Absent: it says nothing. */
  readonly readOnlyHint?: boolean | undefined
  readonly server?: object | undefined
  readonly timeLimitMs?: number
  readonly openWorldHint?: boolean
}

type Play = (
  args: Act['args'],
  config: ToolRunnableConfig & { readonly signal: AbortSignal },
) => Promise<unknown>

/** Tools whose calls wait until the test lets them end, and what has happened to them. */
export class Stage {
  /** `+id` for each call that has begun, `-id` for each that has ended. */
  readonly trace: string[] = []
  readonly tools: readonly StructuredToolInterface[]
  readonly #gates = new Map<string, PromiseWithResolvers<void>>()

  /** @param play what a call does before it waits */
  constructor(tools: readonly StagedTool[], play: Play = async () => undefined) {
    this.tools = tools.map(({ name, server, ...metadata }) => {
      const made = tool((args, config) => this.#perform(args, config as never, play), {
        name,
        description: name,
        schema: z.looseObject({ id: z.string() }),
        metadata,
      })
      return server ? Object.assign(made, { [SERVER]: server }) : made
    })
  }

  async #perform(args: Act['args'], config: Parameters<Play>[1], play: Play): Promise<string> {
    const { id } = args
    const cut = Promise.withResolvers<never>()
    config.signal?.addEventListener('abort', () => cut.reject(new Error('cut off')), { once: true })
    this.trace.push(`+${id}`)
    try {
      await Promise.race([
        (async () => [await play(args, config), await this.#gate(id).promise])(),
        cut.promise,
      ])
      return id
    } finally {
      this.trace.push(`-${id}`)
    }
  }

  #gate(id: string): PromiseWithResolvers<void> {
    const gate = this.#gates.get(id) ?? Promise.withResolvers<void>()
    this.#gates.set(id, gate)
    return gate
  }

  /** Lets a call end. */
  end(id: string): void {
    this.#gate(id).resolve()
  }

  /** The calls that run now, in the order in which they began, once no other begins. */
  async running(): Promise<string[]> {
    await until(() => this.trace.length > 0)
    let seen = 0
    for (let quiet = 0; quiet < TURNS; quiet = this.trace.length === seen ? quiet + 1 : 0) {
      seen = this.trace.length
      await turn()
    }
    const has = (event: string) => this.trace.includes(event)
    return this.trace.filter(event => event[0] === '+' && !has(`-${event.slice(1)}`)).map(id => id.slice(1))
  }
}

/** Calls as a model makes them. */
export const callsOf = (acts: readonly Act[]) =>
  acts.map(({ tool: name, args }) => ({ name, args, id: `call-${args.id}`, type: 'tool_call' as const }))
